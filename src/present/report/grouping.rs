//! Rows in groups.

/// Groups rows by a key, groups and their rows in the order they come. Takes time in rows times groups.
pub fn group_by_key<K: PartialEq, R>(
    rows: impl IntoIterator<Item = R>,
    key: impl Fn(&R) -> K,
) -> Vec<(K, Vec<R>)> {
    let mut groups: Vec<(K, Vec<R>)> = Vec::new();
    for row in rows {
        let key = key(&row);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups
}
