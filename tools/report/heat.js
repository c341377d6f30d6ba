/* Ranks: their times by kind, and maps of call sites and of phases by rank. Of many ranks, blocks of neighbours are shown. */

/* ---- times by kind ---- */

const range_words = (first, count) => count > 1 ? first + "\u2013" + (first + count - 1) : String(first);

function show_ranks(rows, hosts) {
    const names = Object.keys(ACTIVITIES);
    rows = left_out(rows) ? rows : rows.filter(row => row.rank !== undefined && row.computing !== undefined);
    if (!rows.length || left_out(rows)) {
        section("ranks", "Ranks", rows.length ? not_shown(rows) : note("This trace has no times of ranks."));
        return;
    }
    const blocks = rows.some(row => row.ranks > 1), used = names.filter(name => rows.some(row => row[name].most > 0)), total = row => used.reduce((sum, name) => sum + row[name].mean, 0);
    const host_of = row => hosts.find(host => row.rank >= host.first && row.rank < host.first + host.ranks), known_hosts = !left_out(hosts) && hosts.length > 1;
    if (known_hosts) rows.forEach(row => { row.on = host_of(row); });
    const most = Math.max(...rows.map(total));
    let order = rows;
    const at = (x, width) => Math.max(0, Math.min(order.length - 1, Math.floor(x * order.length / width)));
    const view = drawing(220, "time of each rank by kind; the table below has the figures", (context, width, height) => {
        const colours = used.map(colour), columns = Math.min(width, order.length);
        context.clearRect(0, 0, width, height);
        for (let i = 0; i < columns; i++) { /* of several ranks in a column, that with the largest sum is drawn */
            const first = Math.floor(i * order.length / columns), behind = Math.max(first + 1, Math.floor((i + 1) * order.length / columns));
            let row = order[first], left = Math.floor(i * width / columns), right = Math.floor((i + 1) * width / columns), y = height;
            for (let k = first + 1; k < behind; k++) if (total(order[k]) > total(row)) row = order[k];
            used.forEach((name, k) => {
                const part = row[name].mean / most * (height - 14);
                context.fillStyle = colours[k];
                context.fillRect(left, y - part, Math.max(1, right - left - (right - left > 6 ? 1 : 0)), part);
                y -= part;
            });
            if (row.on && choice.value === "host") {
                context.fillStyle = colour(row.on.host % 2 ? "other_calls" : "faint");
                context.fillRect(left, 0, Math.max(1, right - left), 6);
            }
        }
    }, x => {
        const row = order[at(x, view.canvas.width)];
        return (row.ranks > 1 ? "ranks " : "rank ") + range_words(row.rank, row.ranks) + (row.on ? " on " + row.on.name : "") + ": " + used.filter(name => row[name].most > 0).map(name => ACTIVITIES[name] + " " + time(row[name].mean)
            + (row.ranks > 1 ? " (" + time(row[name].least) + " on rank " + row[name].least_rank + " to " + time(row[name].most) + " on rank " + row[name].most_rank + ")" : "")).join(", ");
    });
    const choice = el("select", { id: "ranks-order", onchange: () => {
        order = choice.value === "rank" ? rows : choice.value === "host" ? [...rows].sort((a, b) => (a.on ? a.on.host : -1) - (b.on ? b.on.host : -1) || a.rank - b.rank)
            : [...rows].sort((a, b) => b[choice.value].most - a[choice.value].most);
        view.paint();
    } }, el("option", { value: "rank" }, "rank"), known_hosts ? el("option", { value: "host" }, "host") : null, used.map(name => el("option", { value: name }, ACTIVITIES[name])));
    const columns = used.flatMap(name => blocks ? [{ title: ACTIVITIES[name] + ", mean", value: row => row[name].mean, text: row => row[name].most ? time(row[name].mean) : "\u2013" },
        { title: "least (rank)", value: row => row[name].least, text: row => time(row[name].least) + " (" + row[name].least_rank + ")" }, { title: "most (rank)", value: row => row[name].most, text: row => time(row[name].most) + " (" + row[name].most_rank + ")" }]
        : [{ title: ACTIVITIES[name], value: row => row[name].mean, text: row => row[name].mean ? time(row[name].mean) : "\u2013", exact: row => number(Math.round(row[name].mean)) + " ns" }]);
    section("ranks", "Ranks", el("label", { class: "choose" }, (blocks ? "One column a block of neighbouring ranks, with their mean; in the order of " : "One column a rank, in the order of "), choice), view.element, legend(),
        note((blocks ? "" : "The highest column is " + time(most) + ". ") + ROUNDED),
        table([{ title: blocks ? "ranks" : "rank", value: row => row.rank, text: row => range_words(row.rank, row.ranks) }, ...(known_hosts ? [{ title: "host", words: true, value: row => row.on ? row.on.name + (row.rank + row.ranks > row.on.first + row.on.ranks ? " and others" : "") : "?" }] : []), ...columns], rows, known_hosts ? 2 : 1, undefined, FEW_ROWS));
}

/* ---- maps ---- */

const heat_maps = new Map();

/* A map by its view's name: {rows, estimated, name: of a column}. */
function heat_rows(name) {
    if (heat_maps.has(name)) return heat_maps.get(name);
    const rows = rows_of(name), head = rows[0] && rows[0].block ? rows[0] : { block: 1, ranks: 0 };
    const first = i => i * head.block, map = { rows: rows.filter(row => row.ns), block: head.block, estimated: head.estimated, left_out: rows[0] && rows[0].left_out, not_known: rows[0] && rows[0].not_known,
        name: i => (head.block > 1 ? "ranks " : "rank ") + range_words(first(i), Math.min(head.block, head.ranks - first(i))) };
    heat_maps.set(name, map);
    return map;
}

const HEAT_ROWS = 12, HEAT_LABEL = 16, HEAT_STRIP = 16;

/* How far a value is from the mean, -1 to 1, as blue to white to orange. */
function against(v) {
    const end = v < 0 ? [0, 114, 178] : [213, 94, 0], part = Math.min(1, Math.abs(v));
    return end.map(c => Math.round(240 + (c - 240) * part));
}

/* WORDS(row): what a row is. */
function show_heat(name, title, words) {
    const map = heat_rows(name), id = name === "rank-sites" ? "rank-sites" : "rank-phases";
    if (map.left_out) return section(id, title, note("This part has " + bytes(map.left_out) + ", too much for a page."));
    if (map.not_known) return section(id, title, note("There are too many ranks and call sites for a map."));
    if (!map.rows.length || (name === "phases" && map.rows.length === 1 && map.rows[0].phase === null)) return;
    const rows = [...map.rows].sort((a, b) => b.total - a.total), columns = rows[0].ns.length;
    let all = false, how = "time";
    const shown = () => all ? rows : rows.slice(0, HEAT_ROWS);
    const means = new Map(rows.map(row => [row, row.ns.reduce((a, b) => a + b, 0) / columns]));
    const differ = row => !map.estimated || row.ns.some(ns => ns !== row.ns[0]); /* else the trace has them for all ranks together */
    const scale = el("p", { class: "faint scale" });
    const view = drawing(() => shown().length * (HEAT_LABEL + HEAT_STRIP), title + ": ranks from left to right; the table below has the figures", (context, width) => {
        const most = Math.max(...shown().map(row => Math.max(...row.ns)), 1);
        scale.replaceChildren(...(how === "time" ? colour_scale("0 ns", time(most), RAMP) : colour_scale("none", "twice the mean or more", [-1, 0, 1].map(against))));
        context.clearRect(0, 0, width, view.canvas.height);
        context.font = "12px system-ui, sans-serif";
        shown().forEach((row, k) => {
            const top = k * (HEAT_LABEL + HEAT_STRIP), mean = means.get(row);
            context.fillStyle = colour("paper");
            context.fillRect(0, top, width, HEAT_LABEL);
            context.fillStyle = colour("ink");
            context.fillText(words(row), 0, top + HEAT_LABEL - 4);
            for (let x = 0; x < Math.min(width, columns); x++) { /* of several ranks in a column, the one furthest from the mean */
                const first = Math.floor(x * columns / Math.min(width, columns)), behind = Math.max(first + 1, Math.floor((x + 1) * columns / Math.min(width, columns)));
                let ns = row.ns[first];
                for (let i = first + 1; i < behind; i++) if (Math.abs(row.ns[i] - mean) > Math.abs(ns - mean)) ns = row.ns[i];
                const [r, g, b] = how === "time" ? ramp(ns / most) : against(mean > 0 ? (ns / mean - 1) : 0), left = Math.floor(x * width / Math.min(width, columns));
                context.fillStyle = "rgb(" + r + "," + g + "," + b + ")";
                context.fillRect(left, top + HEAT_LABEL, Math.max(1, Math.floor((x + 1) * width / Math.min(width, columns)) - left), HEAT_STRIP);
            }
        });
    }, (x, y) => {
        const row = shown()[Math.floor(y / (HEAT_LABEL + HEAT_STRIP))], i = Math.min(columns - 1, Math.floor(x * columns / view.canvas.width));
        return row && words(row) + ", " + map.name(i) + ": " + time(row.ns[i]) + (means.get(row) > 0 ? ", " + share(row.ns[i] / means.get(row)) + " of the mean" : "");
    });
    const choice = el("select", { onchange: () => { how = choice.value; view.paint(); } }, el("option", { value: "time" }, "time; brighter is more"), el("option", { value: "mean" }, "how far from the row's mean; blue is less, orange is more"));
    const more = el("button", { class: "more", onclick: () => { all = true; more.hidden = true; view.paint(); } }, "draw all " + number(rows.length));
    more.hidden = rows.length <= HEAT_ROWS;
    section(id, title, el("p", {}, "Time in MPI calls, without computing; one column a rank" + (columns > 1080 || map.name(0).includes("ranks") ? " or block of ranks" : "") + (map.estimated ? "; estimated from means where the trace does not have a rank's own times" : "") + "."),
        el("label", { class: "choose" }, "Colour: ", choice), scale, view.element, more, table([{ title: "what", words: true, code: name === "rank-sites", value: row => words(row) }, { title: "calls", value: row => row.calls, text: row => number(row.calls) },
            { title: "mean of a rank", value: row => means.get(row), text: row => time(means.get(row)) }, { title: "most (rank)", value: row => row.most, text: row => differ(row) ? time(row.most) + (row.most_rank === undefined ? "" : " (" + row.most_rank + ")") : "\u2013" },
            { title: "most / mean", value: row => row.most / means.get(row), text: row => means.get(row) > 0 && differ(row) ? (row.most / means.get(row)).toFixed(2) : "\u2013" }], rows, 3, undefined, FEW_ROWS));
}
