//! Marks functions that a split module loads later.
//!
#![doc = include_str!("../README.md")]

#[cfg(feature = "split")]
#[doc(hidden)]
pub use wasm_split_helpers as helpers;

/// Declares functions that call others in the lazy part: `fn name(argument: Type) -> Type = target;`.
///
/// The functions share a table of pointers. The lazy part returns it on the first call of one of them. Write at most
/// one `lazy!` per file.
///
/// # Example
/// ```
/// stepgraph_lazy::lazy! {
///     /// The length of a text.
///     fn length(text: &str) -> usize = str::len;
/// }
/// assert_eq!(length("plan"), 4);
/// ```
#[cfg(feature = "split")]
#[macro_export]
macro_rules! lazy {
    ($($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $target:path;)+) => {
        $($(#[$doc])* $vis fn $name($($arg: $type),*) $(-> $out)? { (lazy_table().$name)($($arg),*) })+

        struct LazyTable { $($name: fn($($type),*) $(-> $out)?,)+ }

        fn lazy_table() -> &'static LazyTable {
            #[$crate::helpers::wasm_split(rest, wasm_split_path = $crate::helpers)]
            fn table() -> &'static LazyTable {
                &LazyTable { $($name: $target,)+ }
            }
            $crate::now(table())
        }
    };
}

/// Declares functions that call others. This build is not split.
#[cfg(not(feature = "split"))]
#[macro_export]
macro_rules! lazy {
    ($($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $target:path;)+) => {
        $($(#[$doc])* $vis fn $name($($arg: $type),*) $(-> $out)? { $target($($arg),*) })+
    };
}

/// Returns whether the lazy part is loaded. Deferrable work checks this, to avoid loading the part.
#[cfg(feature = "split")]
pub fn is_loaded() -> bool {
    LOADED.load(std::sync::atomic::Ordering::Relaxed)
}

/// Returns true, because this build is not split.
#[cfg(not(feature = "split"))]
pub fn is_loaded() -> bool {
    true
}

/// True after the first call into the lazy part.
#[cfg(feature = "split")]
static LOADED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Returns the result of a call whose part the scripts load synchronously.
///
/// If the part cannot be loaded, the call traps. The scripts report the failure to the user first. The next call tries
/// again.
#[cfg(feature = "split")]
#[doc(hidden)]
pub fn now<T>(call: impl Future<Output = T>) -> T {
    let mut call = std::pin::pin!(call);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    // The first poll requests the part, the second finds it loaded.
    for _ in 0..2 {
        if let std::task::Poll::Ready(done) = call.as_mut().poll(&mut context) {
            LOADED.store(true, std::sync::atomic::Ordering::Relaxed);
            return done;
        }
    }
    std::process::abort()
}
