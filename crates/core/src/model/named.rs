//! Macro for enums whose variants have names in files, in output or on the command line.

/// Declares an enum with a name for each variant, a list of all variants, and a lookup by name.
#[macro_export]
macro_rules! named {
    ($(#[$outer:meta])* $vis:vis enum $Enum:ident {
        $($(#[$inner:meta])* $Variant:ident = $name:literal,)+
    }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $(#[$outer])*
        $vis enum $Enum { $($(#[$inner])* $Variant,)+ }

        impl $Enum {
            /// All variants, in order.
            pub const ALL: [Self; Self::NAMES.len()] = [$(Self::$Variant),+];
            /// All names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// The name in files, in output and on the command line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name),+ }
            }

            /// Returns the variant with this name.
            #[must_use]
            pub fn find(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$Variant),)+ _ => None }
            }
        }
    };
}
