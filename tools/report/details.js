/* What a call of the program is in detail, when it is opened: what it does in words, how long it takes, on which ranks, with whom. */

let call_rows = [], some_calls = false, site_at = new Map(); /* the place of a call site, by site_key */

function know_calls(rows) {
    call_rows = left_out(rows) ? [] : rows.filter(row => row.func);
    some_calls = rows.some(row => row.complete === false);
    site_at = new Map(call_rows.map(row => [site_key(row.func, row.site), row.at]));
}

/* The call sites that a node stands for: "app.c:87", or several whose numbers are from one to the other: "app.c:7..12", "solve+0x1f..0x40". */
function calls_of(node) {
    const several = /^(.*?)((?:0x)?[0-9a-f]+)\.\.((?:0x)?[0-9a-f]+)$/.exec(node.at || "");
    const fits = at => {
        if (!several) return at === node.at;
        const own = at.startsWith(several[1]) ? Number(at.slice(several[1].length)) : NaN;
        return own >= Number(several[2]) && own <= Number(several[3]);
    };
    return call_rows.filter(row => row.func === node.func && fits(row.at));
}

/* Bytes that the calls of a node move, over all threads, and the imbalance of their times: as those of their call sites. Its part of the bytes
 * is ABOUT that of the calls, if the sites are also reached from elsewhere. */
function know_moved(node, found) {
    const rows = calls_of(node).map(call => site_rows[site_numbers.get(site_key(call.func, call.site))]).filter(row => row), sum = of => rows.reduce((all, row) => all + of(row), 0), calls = sum(row => row.calls.total);
    Object.assign(node, { moved: calls ? sum(row => row.bytes.total) * Math.min(1, node.total / calls) : 0, about: calls !== node.total && sum(row => row.bytes.total) > 0,
        uneven: rows.length !== 1 ? uneven_together(rows) : ranks_known(rows[0]) ? rows[0].time.imbalance : undefined });
    rows.forEach(row => found.sites.add(row));
    found.nodes.push(node);
}

/* A profile has the times of a call site once for all ranks where they differ little in what they cost. */
const ranks_known = row => row.time && !(row.estimated && row.ranks > 1 && row.time.max === row.time.min);

/* The same for all calls of the programs. What they move together is what their call sites move. */
function know_all_moved(programs) {
    const found = { sites: new Set(), nodes: [] }, sum = (list, of) => list.reduce((all, one) => all + of(one), 0);
    const look = node => { if (node.func) know_moved(node, found); (node.in || []).forEach(look); };
    programs.forEach(p => p.program.forEach(look));
    const parts = found.nodes.filter(node => node.about), rest = sum([...found.sites], row => row.bytes.total) - sum(found.nodes.filter(node => !node.about), node => node.moved), guess = sum(parts, node => node.moved);
    if (guess > 0 && rest >= 0) parts.forEach(node => { node.moved *= rest / guess; });
}

/* The imbalance of several call sites together, if the page has the times of each rank. */
function uneven_together(sites) {
    const map = heat_rows("rank-sites"), rows = map.rows.filter(row => sites.some(site => site.func === row.func && site.site === row.site));
    if (!rows.length || map.block > 1) return undefined;
    const sums = rows[0].ns.map((_, i) => rows.reduce((all, row) => all + row.ns[i], 0)).filter(ns => ns > 0), mean = sums.reduce((a, b) => a + b, 0) / sums.length;
    return sums.length && !(map.estimated && sums.every(ns => ns === sums[0])) ? Math.max(...sums) / mean - 1 : undefined;
}

function histogram(title, statistics, kind) {
    const known = statistics.filter(s => s);
    if (!known.length) return null;
    const counts = [], total = known.reduce((sum, s) => sum + s.mean * s.count, 0), calls = known.reduce((sum, s) => sum + s.count, 0);
    known.forEach(s => s.histogram.forEach((count, i) => { counts[i] = (counts[i] || 0) + count; }));
    const first = counts.findIndex(count => count > 0);
    const rows = counts.map((count, i) => [i === 0 ? "0" : "from " + time(2 ** (i - 1)), count || 0, number(count || 0)]).slice(Math.max(0, first));
    const least = known.every(s => s.min !== undefined) ? ", least " + time(Math.min(...known.map(s => s.min))) : "";
    return [el("p", {}, title + ": mean " + time(total / calls) + least + ", most " + time(Math.max(...known.map(s => s.max)))), rows.length > 1 ? bars(rows, kind) : null];
}

/* The ranks of call sites, from the map of call sites by rank. */
function ranks_of_calls(calls) {
    const map = heat_rows("rank-sites"), rows = map.rows.filter(row => calls.some(call => call.func === row.func && call.site === row.site));
    if (!rows.length || !rows[0].ns.length) return null;
    const sums = rows[0].ns.map((_, i) => rows.reduce((sum, row) => sum + row.ns[i], 0)), mean = sums.reduce((a, b) => a + b, 0) / sums.length;
    const order = sums.map((ns, i) => [ns, i]).filter(([ns]) => ns > 0).sort((a, b) => b[0] - a[0]);
    if (!order.length || (map.estimated && order.every(([ns]) => ns === order[0][0]))) return null; /* one time for all */
    const shown = [...order.slice(0, 3), ...order.slice(3).slice(-1)];
    return [el("p", {}, "Time on ranks: mean " + time(mean) + (map.estimated ? " (estimated)" : "") + ", the longest first, and the shortest"), bars(shown.map(([ns, i]) => [map.name(i), ns, time(ns)]), "point_to_point")];
}

/* Whom calls send to: how far away, and how much. */
function partners_of(calls) {
    const steps = new Map();
    for (const row of rows_of("pairs").filter(row => row.pairs && calls.some(call => call.func === row.func && call.site === row.site)))
        for (let i = 0; i < row.pairs.length; i += 4) {
            const [from, to, messages, size] = row.pairs.slice(i, i + 4), key = to < 0 ? "not known" : to - from;
            const sum = steps.get(key) || { messages: 0, bytes: 0, ranks: new Set() };
            sum.messages += messages;
            sum.bytes += size;
            sum.ranks.add(from);
            steps.set(key, sum);
        }
    const order = [...steps].sort((a, b) => b[1].messages - a[1].messages);
    if (!order.length) return null;
    const block = heat_rows("rank-sites").block, to = step => step === "not known" ? step : block > 1 && step === 0 ? "same block" : (block > 1 ? "block" : "rank") + (step < 0 ? "\u2212" + -step : "+" + step);
    return [el("p", {}, block > 1 ? "Sends to, by blocks of " + block + " neighbouring ranks" : "Sends to"), bars(order.slice(0, 8).map(([step, sum]) => [to(step), sum.messages,
        plural(sum.messages, "message") + ", " + bytes(sum.bytes) + ", from " + plural(sum.ranks.size, block > 1 ? "block" : "rank")]), "point_to_point"), order.length > 8 ? note("and " + (order.length - 8) + " others") : null];
}

function call_details(node) {
    const calls = calls_of(node), read = calls.reduce((sum, call) => sum + call.read, 0), words = new Map();
    calls.forEach(call => call.words.forEach(([text, count]) => words.set(text, (words.get(text) || 0) + count)));
    const lines = [...words].sort((a, b) => b[1] - a[1]).slice(0, 6), others = read - lines.reduce((sum, line) => sum + line[1], 0);
    const part = count => read > 0 && count < read ? " (" + share(count / read) + " of the calls)" : "";
    if (!calls.length) return [note("Nothing more is known of this call.")];
    return [lines.some(([text]) => text) ? el("ul", { class: "does" }, lines.filter(([text]) => text).map(([text, count]) => el("li", {}, text, el("span", { class: "faint" }, part(count)))),
        others > 0 ? el("li", { class: "faint" }, "other arguments" + part(others)) : null) : null,
    some_calls ? note("What it does is read from some of the ranks, or of the calls: " + plural(read, "call") + ".") : null,
    node.func === "MPI_Finalize" ? null : histogram("In the call", calls.map(call => call.in), "point_to_point"), histogram("Computing before it", calls.map(call => call.before), "computing"), ranks_of_calls(calls), partners_of(calls),
    el("p", { class: "faint" }, "Calls of this call site wherever it is reached from: ", calls.slice(0, 4).map((call, i) => [i ? ", " : "", site_link(call.func, call.site)]), calls.length > 4 ? ", \u2026" : "")];
}

function call_node(node, row) {
    const inside = el("div", { class: "details" });
    const details = el("details", { class: "node call" }, el("summary", {}, row), inside);
    details.addEventListener("toggle", () => { if (details.open && !inside.firstChild) inside.append(...call_details(node).flat(Infinity).filter(child => child)); });
    return details;
}

/* ---- loops ---- */

/* Whether a program's threads are "ranks 0-3,7 (5), thread 0"; then a function that tells if a rank's thread is one of them. */
function thread_test(program) {
    const found = /^ranks? ([\d,-]+)(?: \(\d+\))?, threads? ([\d,-]+)(?: \(\d+\))?$/.exec(program.threads);
    const ranges = text => text.split(",").map(part => { const [from, to] = part.split("-").map(Number); return [from, to === undefined ? from : to]; });
    const size = list => list.reduce((sum, [from, to]) => sum + to - from + 1, 0), within = (list, v) => list.some(([from, to]) => v >= from && v <= to);
    if (!found) return null;
    const ranks = ranges(found[1]), threads = ranges(found[2]);
    return size(ranks) * size(threads) === program.count ? thread => within(ranks, thread.rank) && within(threads, thread.thread) : null;
}

/* How long the iterations of a loop took that the timeline has, in the form of the statistics of calls. */
function iterations_of(node, program) {
    const fits = timeline_data && node.number !== undefined && thread_test(program), found = { mean: 0, count: 0, min: Infinity, max: 0, histogram: [] };
    for (const thread of fits ? timeline_data.threads.filter(fits) : [])
        for (const { at, iteration } of thread.loops.filter(one => one.loop === node.number))
            at.forEach((call, i) => {
                const behind = i + 1 < at.length ? at[i + 1] : timeline_data.head.all ? thread.start.length : 0; /* the last one may be cut off */
                if (!iteration[i] || !behind || (call === 0 && thread.first > 0)) return;
                const ns = thread.end[behind - 1] - (call ? thread.end[call - 1] : thread.start[call]), bucket = ns > 0 ? Math.floor(Math.log2(ns)) + 1 : 0;
                found.mean += ns;
                found.count++;
                found.min = Math.min(found.min, ns);
                found.max = Math.max(found.max, ns);
                while (found.histogram.length <= bucket) found.histogram.push(0);
                found.histogram[bucket]++;
            });
    found.mean /= found.count || 1;
    return found.count ? found : null;
}

function loop_details(node, program) {
    const calls = new Set(), iterations = iterations_of(node, program);
    const look = child => { if (child.func) calls_of(child).forEach(call => calls.add(call)); (child.in || []).forEach(look); };
    look(node);
    return [node.total > 0 && node.mpi + node.own > 0 ? el("p", {}, "An iteration takes " + time((node.mpi + node.own) / node.total) + " on average, " + share(node.mpi / (node.mpi + node.own)) + " of it in MPI.") : null,
        iterations ? histogram(iterations.count < node.total ? number(iterations.count) + " of " + plural(node.total, "iteration") : plural(node.total, "iteration"), [iterations], "other_calls")
            : note(timeline_data || !/^(aggregate|off)/.test(rows_of("summary")[0].timing || "off") ? "The page does not have the times of this loop's iterations." : "How its iterations differ is not known: a profile has times of calls, not of iterations. A run with PILGRIM_TIMING=bins or exact has them."),
        ranks_of_calls([...calls]), partners_of([...calls]), calls.size ? note("Ranks and partners are those of the calls in the loop, also where their call sites are reached from elsewhere.") : null];
}

/* What the first line in a loop opens. */
function loop_more(node, program) {
    const inside = el("div", { class: "details" });
    const details = el("details", { class: "node call" }, el("summary", { class: "faint" }, "iterations, ranks, partners"), inside);
    details.addEventListener("toggle", () => { if (details.open && !inside.firstChild) inside.append(...loop_details(node, program).flat(Infinity).filter(child => child)); });
    return details;
}
