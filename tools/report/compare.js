/* What differs from another trace: the summaries side by side, and what pilgrim-diff finds. */

const ROWS_OF_RANKS = ranges => ranges.map(([first, last]) => first === last ? String(first) : first + "\u2013" + last).join(", ");

function change_words(a, b) {
    return a === b ? "the same" : a > 0 && b !== undefined ? (b >= a ? "+" : "\u2212") + share(Math.abs(b / a - 1)) : "\u2013";
}

function show_compared(rows, a, others) {
    if (!rows.length || !others.length) return;
    if (left_out(rows)) return section("compared", "Compared", not_shown(rows));
    const diff = rows[0], b = others[0], call = c => c ? [c.function + " at " + c.site] : "\u2013";
    const mean = (s, name) => s.activities && s.activities[name] ? s.activities[name].mean : undefined;
    const lines = [["ranks", s => s.ranks, number], ["MPI calls", s => s.calls, number], ["wall time", s => s.wall, time], ["messages", s => s.messages, number], ["bytes in messages", s => s.bytes, bytes], ["collective bytes", s => s.collective_bytes, bytes],
        ...Object.entries(ACTIVITIES).map(([name, words]) => [words + ", mean of a rank", s => mean(s, name), time])].filter(([, of]) => of(a) || of(b));
    const limit = list => list.slice(0, ROWS_SHOWN), rest = list => list.length > ROWS_SHOWN ? note("and " + number(list.length - ROWS_SHOWN) + " others; pilgrim-diff --all A B prints them") : null;
    const plain = (titles, cells) => el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, titles.map(([title, numeric]) => el("th", { class: numeric ? "number" : "" }, title)))), el("tbody", {}, cells.map(row => el("tr", {}, row.map((cell, i) => el("td", { class: titles[i][1] ? "number" : "words" }, cell)))))));
    const times = (diff.times || []).map(t => ({ ...t, ns: t.median_ns || t.mean_ns, kind: t.median_ns ? "median" : "mean" }));
    section("compared", "Compared with another run", el("p", {}, "A is this trace, B is ", el("span", { class: "code" }, diff.b.trace), ". ", diff.equal ? "Both made the same calls, and no time differs by more than noise." : ""),
        plain([["", false], ["A", true], ["B", true], ["change", true]], lines.map(([words, of, show]) => [words, of(a) === undefined ? "\u2013" : show(of(a)), of(b) === undefined ? "\u2013" : show(of(b)), change_words(of(a), of(b))])),
        times.length ? [el("h3", {}, "Times that changed by more than noise"), plain([["where", false], ["time", false], ["A", true], ["B", true], ["change", true]], limit(times).map(t => [[call(t.of)], t.what === "before" ? "computing before, " + t.kind : "in the call, " + t.kind,
            time(t.ns[0]), time(t.ns[1]), (t.change >= 0 ? "+" : "\u2212") + share(Math.abs(t.change)) + " \u00b1 " + share(t.error)])), rest(times)] : diff.equal ? [] : note("No time of a call site changed by more than noise, or times cannot be compared."),
        diff.structure.length ? [el("h3", {}, "Other calls"), plain([["ranks", false], ["call", true], ["A does", false], ["B does", false]], limit(diff.structure).map(s => [ROWS_OF_RANKS(s.ranks), s.call[0] === null ? "\u2013" : number(s.call[0]), call(s.a), call(s.b)])), rest(diff.structure)] : [],
        diff.counts.length ? [el("h3", {}, "Calls made more or less often"), plain([["ranks", false], ["where", false], ["A", true], ["B", true]], limit(diff.counts).map(c => [ROWS_OF_RANKS(c.ranks), call(c.of), c.calls[0] === null ? "\u2013" : number(c.calls[0]), c.calls[1] === null ? "\u2013" : number(c.calls[1])])), rest(diff.counts)] : [],
        diff.values.length ? [el("h3", {}, "Other arguments"), plain([["ranks", false], ["where", false], ["parameter", false], ["A", false], ["B", false], ["calls", true]], limit(diff.values).map(v => [ROWS_OF_RANKS(v.ranks), call(v.of), v.parameter, v.a === null ? "\u2013" : v.a, v.b === null ? "\u2013" : v.b, number(v.calls)])), rest(diff.values)] : []);
}
