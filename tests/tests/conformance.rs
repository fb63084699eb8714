//! Runs the suite with the machine and the Rust driver, which must meet its expectations and agree.

use stepgraph_tests::{Suite, by_driver, by_machine};

#[test]
fn cases() {
    let mut broken = Vec::new();
    let mut count = 0;
    for (file, cases) in Suite::all() {
        for case in cases {
            count += 1;
            let (machine, driver) = (by_machine(&case), by_driver(&case));
            let label = format!("{} {} ({})", file.file_stem().unwrap().display(), case.id, case.name);
            for (name, ended) in [("machine", &machine), ("driver", &driver)] {
                broken.extend(
                    ended.differences(&case.expect).iter().map(|diff| format!("{label}, {name}: {diff}")),
                );
            }
            if machine.canonical() != driver.canonical() || machine.state != driver.state {
                broken.push(format!("{label}: machine and driver differ"));
            }
        }
    }
    assert!(broken.is_empty(), "{} of {count} cases:\n{}", broken.len(), broken.join("\n"));
    assert!(count >= 442, "only {count} cases were found");
}
