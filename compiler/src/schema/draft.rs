//! The drafts of the standard, and the JSON types.

/// A draft of the standard, as far as it changes the meaning of what is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Draft {
    Four,
    Six,
    Seven,
    /// 2019-09.
    Nineteen,
    /// 2020-12.
    Twenty,
    /// 2020-12 with older spellings repaired: what a schema without `$schema` is read as.
    Unnamed,
}

impl Draft {
    /// The draft that an address names, if it is one.
    pub(super) fn of(address: &str) -> Option<Self> {
        let bare = address.trim_end_matches('#').trim_start_matches("https://");
        Some(match bare.trim_start_matches("http://") {
            "json-schema.org/draft-04/schema" | "json-schema.org/draft-03/schema" => Self::Four,
            "json-schema.org/draft-06/schema" => Self::Six,
            "json-schema.org/draft-07/schema" => Self::Seven,
            "json-schema.org/draft/2019-09/schema" => Self::Nineteen,
            "json-schema.org/draft/2020-12/schema" | "json-schema.org/schema" => Self::Twenty,
            _ => return None,
        })
    }

    /// Whether a reference makes its siblings mean nothing.
    pub(super) fn reference_stands_alone(self) -> bool {
        self <= Self::Seven
    }

    /// Whether the first items may be listed in `items`.
    pub(super) fn items_may_be_listed(self) -> bool {
        self != Self::Twenty
    }

    /// The keyword that identifies a schema.
    pub(super) fn identifier(self) -> &'static str {
        if self == Self::Four { "id" } else { "$id" }
    }
}

/// A set of JSON types. A number is an integer or it is not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const STRING: Self = Self(4);
    pub(super) const INTEGER: Self = Self(8);
    /// Integers and all other numbers.
    pub(super) const NUMBER: Self = Self(8 | 16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ALL: Self = Self(127);

    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "string" => Self::STRING,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// A word for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::STRING => "string",
            Self::INTEGER => "integer",
            Self::NUMBER => "number",
            Self::ARRAY => "array",
            Self::OBJECT => "object",
            _ => "value",
        }
    }

    /// Whether it is one type, of which a rule can be made.
    pub(super) fn is_one(self) -> bool {
        matches!(self, Self::STRING | Self::INTEGER | Self::NUMBER | Self::ARRAY | Self::OBJECT)
            || self.0 == Self::NUMBER.0 ^ Self::INTEGER.0
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn complement(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }

    /// Whether integers are in it and other numbers are not.
    pub(super) fn is_integer_only(self) -> bool {
        self.0 & Self::NUMBER.0 == Self::INTEGER.0
    }

    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}
