//! Compares functions before and after outlining, in Node: same results, same side effects.

use super::*;
use std::process::Command;
use wasm_encoder::{
    BlockType, Encode, ExportKind, ExportSection, Function, FunctionSection, GlobalSection, GlobalType,
    Instruction, Module, TypeSection,
};

type Code = Vec<Instruction<'static>>;

/// Longer than a call. Sets global 0, so that a run shows whether it happened.
fn cold() -> Code {
    (0..20).flat_map(|at| [Instruction::I32Const(at), Instruction::GlobalSet(0)]).collect()
}

/// Each function has the parameters 0 and 1, and the local 2. The code that begins at `cold` did not run.
fn functions() -> Vec<(&'static str, usize, Code)> {
    use Instruction::{
        Block, Br, BrIf, BrTable, Drop, Else, End, I32Add, I32Const, If, LocalGet, LocalSet, Return,
    };
    let void = BlockType::Empty;
    let value = BlockType::Result(wasm_encoder::ValType::I32);
    let case = |name, before: Code, inside: Code, after: Code| {
        let start = before.len();
        (name, start, [before, cold(), inside, after].concat())
    };
    vec![
        case("falls", vec![LocalGet(0), If(void)], vec![], vec![End, LocalGet(1)]),
        case(
            "changes a local that is read later",
            vec![LocalGet(0), LocalSet(2), LocalGet(0), If(void)],
            vec![LocalGet(2), LocalGet(1), I32Add, LocalSet(2)],
            vec![End, LocalGet(2)],
        ),
        case("returns", vec![LocalGet(0), If(void)], vec![LocalGet(1), Return], vec![End, I32Const(9)]),
        case("leaves a value", vec![LocalGet(0), If(value)], vec![LocalGet(1)], vec![Else, I32Const(7), End]),
        case(
            "branches out",
            vec![Block(void), LocalGet(0), If(void)],
            vec![Br(1)],
            vec![End, I32Const(3), Return, End, I32Const(4)],
        ),
        case(
            "falls or returns",
            vec![LocalGet(0), If(void)],
            vec![LocalGet(1), If(void), I32Const(5), Return, End],
            vec![End, I32Const(6)],
        ),
        case(
            "falls, leaving a value, or branches out",
            vec![Block(void), LocalGet(0), If(value)],
            vec![LocalGet(1), BrIf(1), I32Const(5)],
            vec![Else, I32Const(8), End, Return, End, I32Const(6)],
        ),
        case(
            "branches to several places",
            vec![Block(void), Block(void), LocalGet(0), If(void)],
            vec![LocalGet(1), BrTable([0, 1, 2][..].into(), 0)],
            vec![End, I32Const(1), Return, End, I32Const(2), Return, End, I32Const(3)],
        ),
        case(
            "touches an operand from before",
            vec![LocalGet(1), LocalGet(0), If(value)],
            vec![I32Const(1)],
            vec![Else, I32Const(2), End, I32Add],
        ),
        case(
            "never ends",
            vec![LocalGet(0), If(void)],
            vec![Instruction::Unreachable],
            vec![End, I32Const(1)],
        ),
        case(
            "drops what it made",
            vec![LocalGet(0), If(void)],
            vec![LocalGet(1), Drop],
            vec![End, LocalGet(1)],
        ),
    ]
}

fn module() -> Vec<u8> {
    use wasm_encoder::ValType::I32;
    let (mut types, mut numbers, mut globals) =
        (TypeSection::new(), FunctionSection::new(), GlobalSection::new());
    types.ty().function([I32, I32], [I32]);
    let global = GlobalType { val_type: I32, mutable: true, shared: false };
    globals.global(global, &wasm_encoder::ConstExpr::i32_const(-1));
    let (mut exports, mut code) = (ExportSection::new(), CodeSection::new());
    exports.export("global", ExportKind::Global, 0);
    for (at, (name, _, instructions)) in (0..).zip(functions()) {
        numbers.function(0);
        exports.export(name, ExportKind::Func, at);
        let mut body = Function::new([(1, I32)]);
        for instruction in instructions.iter().chain([&Instruction::End]) {
            body.instruction(instruction);
        }
        code.function(&body);
    }
    let mut module = Module::new();
    module.section(&types).section(&numbers).section(&globals).section(&exports).section(&code);
    module.finish()
}

/// As if only the cold code had not run.
fn outlined(module: &[u8]) -> Outlined {
    let blocks = blocks(module).unwrap();
    let parts: Vec<Vec<u8>> = blocks
        .iter()
        .zip(functions())
        .map(|(blocks, (_, start, code))| {
            // A body begins with its locals, which have three bytes.
            let place = |count: usize| {
                let mut bytes = vec![0; 3];
                code.iter().take(count).for_each(|instruction| instruction.encode(&mut bytes));
                bytes.len()
            };
            let is_end = |at: &usize| matches!(code[*at], Instruction::End | Instruction::Else);
            let mut depth = 0;
            let end = (start..code.len()).find(|at| {
                depth += i32::from(matches!(code[*at], Instruction::If(_)));
                depth -= i32::from(matches!(code[*at], Instruction::End));
                (depth == 0 && matches!(code[*at], Instruction::Else)) || (depth < 0 && is_end(at))
            });
            let cold = place(start)..place(end.unwrap());
            blocks.iter().map(|block| u8::from(cold.contains(block))).collect()
        })
        .collect();
    outline(module, &vec![0; parts.len()], &parts).unwrap()
}

#[test]
fn every_kind_of_exit_becomes_a_call() {
    let module = module();
    let outlined = outlined(&module);
    wasmparser::validate(&outlined.module).unwrap();
    let count = functions().len();
    assert_eq!(outlined.part_of, [vec![0; count], vec![1; count]].concat());
    assert_eq!(outlined.origins, (0..number(count)).collect::<Vec<_>>());
    let whole = Whole::read(&outlined.module).unwrap();
    assert!(whole.bodies.iter().take(count).all(|body| body.as_bytes().len() < 50));
}

#[test]
fn outlined_functions_behave_as_before() {
    let module = module();
    let outlined = outlined(&module).module;
    let (before, after) = (results(&module), results(&outlined));
    assert_eq!(before, after);
    assert_eq!(before.matches("trap").count(), 4);
    assert!(before.contains("returns 1 5: 5 19"), "{before}");
}

/// Runs every function with several arguments, and prints result and global.
fn results(module: &[u8]) -> String {
    let script = "
        const bytes = Uint8Array.from(process.argv[1].split(','));
        const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
        for (const [name, run] of Object.entries(exports)) {
          if (typeof run !== 'function') continue;
          for (const [a, b] of [[0, 0], [0, 5], [1, 0], [1, 1], [1, 2], [1, 5]]) {
            exports.global.value = -1;
            let result = 'trap';
            try { result = run(a, b); } catch {}
            console.log(`${name} ${a} ${b}: ${result} ${exports.global.value}`);
          }
        }";
    let bytes = module.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
    let done = Command::new("node").args(["-e", script, &bytes]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn code_that_ran_stays() {
    let module = module();
    let parts: Vec<Vec<u8>> = blocks(&module).unwrap().iter().map(|blocks| vec![0; blocks.len()]).collect();
    let outlined = outline(&module, &vec![0; parts.len()], &parts).unwrap();
    assert_eq!(outlined.module, module);
    assert!(outlined.origins.is_empty());
}
