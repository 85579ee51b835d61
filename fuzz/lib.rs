//! The drivers, and an allocator that calls a large piece of memory a finding.

use std::alloc::{GlobalAlloc, Layout, System};

#[path = "../tests/hostile/drivers.rs"]
mod drivers;

/// Drivers allow 4 MB a structure; some hold several, and doubling vectors overshoot.
const LARGEST: usize = 64 << 20;

struct Limited;

// SAFETY: every call is handed on to the system's allocator as it came, or ends the program.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        refuse(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        refuse(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        refuse(size);
        unsafe { System.realloc(place, layout, size) }
    }
}

fn refuse(size: usize) {
    if size > LARGEST {
        eprintln!(
            "an allocation of {size} bytes: {}",
            std::backtrace::Backtrace::force_capture()
        );
        std::process::abort();
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Feeds the driver of this name.
pub fn feed(name: &str, bytes: &[u8]) {
    let driver = drivers::DRIVERS.iter().find(|driver| driver.name == name);
    (driver.expect("a driver of this name").feed)(bytes);
}
