//! Times in UTC as text, in the words of C's `strftime`.

/// `seconds` since 1970 as `format` says, or the letter that it does not know.
pub(crate) fn strftime(seconds: i64, format: &str) -> Result<String, char> {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    let (year, month, day) = civil(days);
    let weekday = (days + 4).rem_euclid(7) as usize;
    let day_of_year = days - days_of(year, 1, 1) + 1;
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let mut out = String::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        let mut directive = letters.next().unwrap_or('%');
        let unpadded = directive == '-';
        if unpadded {
            directive = letters.next().unwrap_or('-');
        }
        let number = |value: i64, width: usize| match unpadded {
            true => value.to_string(),
            false => format!("{value:0width$}"),
        };
        out += &match directive {
            'Y' => number(year, 4),
            'y' => number(year.rem_euclid(100), 2),
            'm' => number(month, 2),
            'd' => number(day, 2),
            'e' => format!("{day:2}"),
            'H' => number(hour, 2),
            'I' => number(twelve, 2),
            'M' => number(minute, 2),
            'S' => number(second, 2),
            'j' => number(day_of_year, 3),
            'p' => if hour < 12 { "AM" } else { "PM" }.to_owned(),
            'B' => MONTHS[month as usize - 1].to_owned(),
            'b' | 'h' => MONTHS[month as usize - 1][..3].to_owned(),
            'A' => DAYS[weekday].to_owned(),
            'a' => DAYS[weekday][..3].to_owned(),
            'F' => format!("{year:04}-{month:02}-{day:02}"),
            'T' => format!("{hour:02}:{minute:02}:{second:02}"),
            'Z' => "UTC".to_owned(),
            'z' => "+0000".to_owned(),
            's' => seconds.to_string(),
            '%' => "%".to_owned(),
            other => return Err(other),
        };
    }
    Ok(out)
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The days from 1970 to a date (Howard Hinnant's `days_from_civil`).
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day (Howard Hinnant's `civil_from_days`).
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{civil, days_of, strftime};

    #[test]
    fn times_are_as_known() {
        let all = "%Y-%m-%d %H:%M:%S %j %a %b %-d %I%p";
        let cases = [
            (0, "1970-01-01 00:00:00 001 Thu Jan 1 12AM"),
            (951_868_799, "2000-02-29 23:59:59 060 Tue Feb 29 11PM"),
            (-1, "1969-12-31 23:59:59 365 Wed Dec 31 11PM"),
            (1_735_689_600, "2025-01-01 00:00:00 001 Wed Jan 1 12AM"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(strftime(seconds, all).as_deref(), Ok(expected));
        }
        assert_eq!(strftime(0, "%Q"), Err('Q'));
        for day in (-800_000..800_000).step_by(97) {
            let (year, month, date) = civil(day);
            assert_eq!(days_of(year, month, date), day);
        }
    }
}
