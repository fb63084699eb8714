//! Marks functions that a split module loads later.
//!
#![doc = include_str!("../README.md")]

#[cfg(feature = "split")]
#[doc(hidden)]
pub use wasm_split_helpers as helpers;

/// Declares functions whose targets are loaded lazily: `fn name(argument: Type) -> Type = target;`.
///
/// The first call loads a shared table of pointers. Write at most one `lazy!` per file.
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

/// Calls directly: this build is not split.
#[cfg(not(feature = "split"))]
#[macro_export]
macro_rules! lazy {
    ($($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)? = $target:path;)+) => {
        $($(#[$doc])* $vis fn $name($($arg: $type),*) $(-> $out)? { $target($($arg),*) })+
    };
}

/// Whether the lazy part is loaded. Deferrable work asks, to avoid loading it.
#[cfg(feature = "split")]
pub fn is_loaded() -> bool {
    LOADED.load(std::sync::atomic::Ordering::Relaxed)
}

/// Always true: this build is not split.
#[cfg(not(feature = "split"))]
pub fn is_loaded() -> bool {
    true
}

#[cfg(feature = "split")]
static LOADED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Returns the result of a call whose part loads synchronously.
///
/// If loading fails, the call traps after the scripts reported it. The next call tries again.
#[cfg(feature = "split")]
#[doc(hidden)]
pub fn now<T>(call: impl Future<Output = T>) -> T {
    let mut call = std::pin::pin!(call);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    // The first poll loads the part.
    for _ in 0..2 {
        if let std::task::Poll::Ready(done) = call.as_mut().poll(&mut context) {
            LOADED.store(true, std::sync::atomic::Ordering::Relaxed);
            return done;
        }
    }
    std::process::abort()
}
