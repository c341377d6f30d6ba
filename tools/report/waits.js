/* The section of waits: what pilgrim-waits prints as JSON. */

const PATTERN_WORDS = {
    "late sender": "a receive waits until the send begins", "late receiver": "a send waits until the receive is there",
    "late partition": "a receive waits until the last partition is ready", "polls for a message": "MPI_Test or MPI_Iprobe, again and again, until the send begins",
    "wait at barrier": "until the last process has come", "wait at n x n": "all give to all: until the last one has come",
    "late broadcast": "until the root has come", "early reduce": "the root waits until the first of the others has come",
    "wait at scan": "until the last of the ranks before has come",
    "wait at neighbor": "until the last of the neighbors that it receives from has come", "late post": "an access to a window waits until the target exposes it",
    "lock held by another": "until the process that has the window's lock gives it back", "early wait": "MPI_Win_wait waits until the last access is complete",
    "wait at fence": "until the last process has come",
    "wait at other collective": "until the last process has come", "wait at init": "until the last process has called MPI_Init",
    "barrier completion": "no wait: from when all had come and the first one had left until this one left", "n x n completion": "no wait: from when all had come and the first one had left until this one left",
    "init completion": "no wait: from when the first one had left until this one left"
};
const is_completion = line => / completion$/.test(line.pattern);
const WORST_RANKS = 3, WORST_WAITS = 5;

/* Call sites that the page lists, by function and site; anchor_of_site gives #site-NUMBER. */
let site_numbers = new Map(), site_rows = [];
const site_key = (func, site) => func + " " + site;

function know_sites(rows) {
    site_rows = left_out(rows) ? [] : rows.filter(row => row.func);
    site_numbers = new Map(site_rows.map((row, i) => [site_key(row.func, row.site), i]));
}

/* "MPI_Recv at app.c:7", or "MPI_Recv at solve+0x1a" without source lines, which leads to the row of the call site, if there is one. */
function site_link(func, site) {
    const i = site_numbers.get(site_key(func, site));
    return i === undefined ? func + " at " + site : el("a", { href: "#site-" + i, title: site_rows[i].function ? "in " + site_rows[i].function : "" },
        breakable(func + " at " + (site_rows[i].file ? site_rows[i].file + ":" + site_rows[i].line : site_at.get(site_key(func, site)) || site)));
}

function doing_words(row, with_rank) {
    if (row.by_func === null || row.by_func === undefined) return "many others";
    return [with_rank ? "rank " + row.by_rank + (row.by_thread ? " thread " + row.by_thread : "") + ", " : "", (row.doing || "in") + " ", site_link(row.by_func, row.by_site)];
}
const cost_of = row => row.direct_ns + row.indirect_ns;
const exact_ns = ns => number(ns) + " ns";
const plus_minus = ns => ns > 0 ? " \u00b1 " + time(ns) : "";

/* Rows of one pattern and call site, added up over ranks, the most first. */
function wait_lines(rows) {
    const lines = new Map();
    for (const row of rows.filter(r => r.pattern)) {
        const key = row.pattern + " " + site_key(row.func, row.site);
        const line = lines.get(key) || { pattern: row.pattern, func: row.func, site: row.site, count: 0, total_ns: 0, max_ns: 0, error_ns: 0, not_resolved: 0, ranks: [] };
        for (const name of ["count", "total_ns", "error_ns", "not_resolved"]) line[name] += row[name];
        line.max_ns = Math.max(line.max_ns, row.max_ns);
        line.ranks.push(row);
        lines.set(key, line);
    }
    for (const line of lines.values()) {
        line.ranks.sort((a, b) => b.total_ns - a.total_ns);
        line.due = rows.filter(r => r.due === line.pattern && r.func === line.func && r.site === line.site);
    }
    return [...lines.values()].sort((a, b) => b.total_ns - a.total_ns);
}

function worst_ranks(line) {
    return line.ranks.filter(row => row.count).slice(0, WORST_RANKS).map(row => row.rank).join(", ");
}

function wait_sentence(line, all_ns) {
    const root = line.due[0], named = root && root.by_func !== null;
    const waiting = line.ranks.filter(row => row.count).length;
    return el("li", {}, waiting === 1 ? "Rank " + worst_ranks(line) + " waits " : plural(waiting, "rank") + " wait ",
        el("b", { title: exact_ns(line.total_ns) }, time(line.total_ns)), waiting > 1 ? " together" : "", " in ", site_link(line.func, line.site), " (" + line.pattern + "), " + (line.count === 1 ? "once" : number(line.count) + " times"),
        all_ns > 0 ? ", " + share(line.total_ns / all_ns) + " of all time" : "",
        named ? ["; " + share(cost_of(root) / line.total_ns) + " of it is due to ", doing_words(root, true)] : "", ".");
}

/* What the summary says of waits: the sentences of the longest ones. */
function waiting_lines(run) {
    const rows = rows_of("waits"), s = rows.find(r => r.run_ns !== undefined);
    return s ? wait_lines(rows).filter(line => line.count && !is_completion(line)).map(line => [...wait_sentence(line, s.run_ns * run.ranks).childNodes]) : [];
}

/* The place of a call site as people know it. */
function site_place(row) {
    const i = site_numbers.get(site_key(row.func, row.site));
    return i === undefined ? row.site : place_of(site_rows[i]);
}

function efficiency_table(s) {
    const rows = [["parallel efficiency", s.parallel_efficiency, "time outside of MPI, of all ranks' time; the product of the next two"],
        ["load balance", s.load_balance, "mean by largest time outside of MPI; 1: all ranks compute as long"],
        ["communication efficiency", s.communication_efficiency, "what MPI leaves of the run to the busiest rank; the product of the next two"],
        ["serialization", s.serialization, "what waiting for each other leaves"], ["transfer", s.transfer, "what moving messages leaves"]];
    return el("div", { class: "wide" }, el("table", { id: "efficiency" }, el("thead", {}, el("tr", {}, el("th", {}, "efficiency"), el("th", { class: "number" }, "1 is best"), el("th", {}, "what it is"))),
        el("tbody", {}, rows.map(([name, value, words]) => el("tr", {}, el("td", {}, name), el("td", { class: "number", title: value.toFixed(6) }, value.toFixed(2)), el("td", { class: "faint" }, words))))));
}

function call_words(call) {
    return [site_link(call.func, call.site), " (rank " + call.rank + (call.thread ? " thread " + call.thread : "") + ", call " + number(call.seq) + (call.bytes !== undefined ? ", " + plural(call.bytes, "byte") : "") + (call.error ? ", " + call.error : "") + ")"];
}

function finding_list(rows) {
    const findings = rows.filter(r => r.finding);
    return findings.length ? [el("h3", {}, "What looks wrong"), el("ul", { id: "findings" }, findings.map(f => el("li", {}, el("b", {}, f.finding), ", " + (f.count === 1 ? "once" : number(f.count) + " times; the first one") + ": ",
        call_words(f.call), f.other ? [" and ", call_words(f.other)] : [])))] : [];
}

/* A profile: the most that calls can have waited. */
function show_bounds(rows, all_ns) {
    section("waits", "Waits", el("p", {}, "The trace has a profile (PILGRIM_TIMING=aggregate): it says how long calls took, not who waited for whom. What a call took is the most that it can have waited. "
        + "A run with PILGRIM_TIMING=bins or exact says who waited, for whom, and why."), finding_list(rows), table([
        { title: "where", words: true, value: r => r.func + r.site, text: r => site_link(r.func, r.site) },
        { title: "calls", value: r => r.count, text: r => number(r.count) },
        { title: "waited at most, all ranks", value: r => r.at_most_ns, text: r => time(r.at_most_ns), exact: r => exact_ns(r.at_most_ns) },
        { title: "share of all time", value: r => r.at_most_ns, text: r => all_ns > 0 ? share(r.at_most_ns / all_ns) : "\u2013" },
        { title: "shortest call", value: r => r.min_ns, text: r => time(r.min_ns) }, { title: "longest call", value: r => r.max_ns, text: r => time(r.max_ns) }], rows.filter(r => r.at_most_ns !== undefined), 2, undefined, FEW_ROWS));
}

function show_waits(rows, run) {
    if (left_out(rows)) return section("waits", "Waits", el("p", { class: "faint" }, "This part has " + bytes(rows[0].left_out) + ", too much for a page. pilgrim-waits prints it."));
    if (!rows.length) return section("waits", "Waits", note("Nothing is known of waiting."));
    const unknown = rows.find(r => r.not_known);
    if (unknown) return section("waits", "Waits", note("Of this trace: " + unknown.not_known + "."), finding_list(rows));
    if (rows.every(r => r.finding)) return section("waits", "Waits", note("No call may have waited."), finding_list(rows));
    if (rows[0].at_most_ns !== undefined) return show_bounds(rows, (run.activities ? Object.values(run.activities).reduce((sum, a) => sum + (a.mean || 0), 0) : 0) * run.ranks);
    const s = rows.find(r => r.run_ns !== undefined) || {}, all_ns = s.run_ns * run.ranks, lines = wait_lines(rows).filter(line => line.count), path = rows.filter(r => r.path_ns !== undefined);
    const unresolved = rows.reduce((sum, r) => sum + (r.pattern && !is_completion(r) ? r.not_resolved : 0), 0), waited = lines.filter(line => !is_completion(line)), delays = rows.filter(r => r.delay_ns !== undefined && r.delay_ns > r.error_ns);
    const part = (v, error) => error > 0 && v <= error ? "not more than its error" : share(v) + (error >= 0.0005 ? " \u00b1 " + share(error) : "");
    section("waits", "Waits", el("p", {}, "Time that calls spend waiting for a call of another rank to begin, and what that rank did meanwhile."),
        !(s.run_ns > 0) ? note("The times of its single calls are lost, as they are of processes that die: their journals have those of whole blocks of calls. So waits are not known.") : facts([["outside of MPI", part(s.useful, s.useful_error)], ["waiting in MPI", part(s.waiting, s.waiting_error)], ["else in MPI", share(s.mpi)],
            ["not counted", unresolved ? plural(unresolved, "wait") + " not longer than the error of the clocks" : ""],
            ["incomplete", s.collectives_incomplete ? plural(s.collectives_incomplete, "collective operation") : ""],
            ["clocks", s.backward ? plural(s.backward, "message") + " arrived before they were sent, by up to " + time(s.backward_max_ns) : ""]]),
        waited.length ? el("ul", { id: "longest-waits" }, waited.slice(0, WORST_WAITS).map(line => wait_sentence(line, all_ns))) : s.run_ns > 0 ? note("No call waited longer than the error of the clocks.") : [], finding_list(rows),
        s.parallel_efficiency <= 0 ? [] : s.efficiency_error >= 1 ? note("Efficiencies are not known: times are rounded too much. A run with PILGRIM_TIMING=exact has them.")
            : [efficiency_table(s), s.efficiency_error >= 0.0005 ? note("Each efficiency may be wrong by " + share(s.efficiency_error) + ": clocks have errors, and times may be rounded.") : []],
        lines.length ? [el("h3", {}, "Patterns, by call site"), table([
            { title: "pattern", words: true, value: l => l.pattern, exact: l => PATTERN_WORDS[l.pattern] || "" }, { title: "where", words: true, value: l => l.func + l.site, text: l => site_link(l.func, l.site) },
            { title: "how often", value: l => l.count, text: l => number(l.count) },
            { title: "all ranks", value: l => l.total_ns, text: l => time(l.total_ns) + plus_minus(l.error_ns), exact: l => exact_ns(l.total_ns) },
            { title: "share", value: l => l.total_ns, text: l => share(l.total_ns / all_ns) }, { title: "longest", value: l => l.max_ns, text: l => time(l.max_ns), exact: l => exact_ns(l.max_ns) },
            { title: "ranks (worst)", words: true, value: worst_ranks },
            { title: "due to most", words: true, value: l => l.due[0] ? l.due[0].by_rank : -1, text: l => l.due[0] ? [doing_words(l.due[0], true), " (" + share(cost_of(l.due[0]) / l.total_ns).replace(" ", "\u00a0") + ")"] : "\u2013" }], lines, 3, undefined, FEW_ROWS)] : [],
        delays.length ? [el("h3", {}, "Causes"), el("p", {}, "What a rank did longer than those that waited for it, and how long that made others wait, also those that waited for a rank which had waited itself."), table([
            { title: "what", words: true, value: d => d.by_rank, text: d => doing_words(d, true) },
            { title: "made others wait", value: d => d.delay_ns, text: d => time(d.delay_ns) + plus_minus(d.error_ns), exact: d => exact_ns(d.delay_ns) },
            { title: "share of all time", value: d => d.delay_ns, text: d => share(d.delay_ns / all_ns) }, { title: "directly", value: d => d.direct_ns / cost_of(d), text: d => share(d.direct_ns / cost_of(d)) }], delays, 1, undefined, FEW_ROWS)] : [],
        path.length ? [el("h3", {}, "Critical path"), el("p", {}, "The run is as long as this path: from the last call back along its rank, and from each wait on along the rank that was waited for. Only what is on it makes the run shorter if it gets faster."), table([
            { title: "what", words: true, value: p => p.by_func, text: p => doing_words(p, false) }, { title: "on the path", value: p => p.path_ns, text: p => time(p.path_ns), exact: p => exact_ns(p.path_ns) },
            { title: "share", value: p => p.path_ns, text: p => share(p.path_ns / s.critical_path_ns) }, { title: "beyond the mean of ranks", value: p => p.imbalance_ns, text: p => time(p.imbalance_ns) },
            { title: "mostly on rank", value: p => p.by_rank }], path, 1, undefined, FEW_ROWS)] : []);
}
