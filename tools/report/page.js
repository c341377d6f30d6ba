"use strict";
/* Shows what the elements data-* hold: mostly JSON, one object a line, as pilgrim-decode prints it. Texts of a trace become
 * text nodes, never markup. Times are in ns. */

const ACTIVITIES = { computing: "computing", point_to_point: "point to point", collective: "collective", one_sided: "one-sided",
                     file: "file", other_calls: "other calls" };
const ROWS_SHOWN = 50, FEW_ROWS = 15;
const ROUNDED = "The trace has these times of ranks right to 3 %; smaller differences between ranks do not show.";

/* ---- data ---- */

const text_of = name => texts.get(name) || "";

/* The objects of a view. Bytes of a view that was left out are in `left_out` of the first one. */
function rows_of(name) {
    return text_of(name).split("\n").filter(line => line).map(line => JSON.parse(line));
}

const left_out = rows => rows.length > 0 && rows[0].left_out;

/* ---- words ---- */

function number(v) { return v.toLocaleString("en-US", { maximumFractionDigits: 2 }); }
function share(v) { return (100 * v).toFixed(1) + " %"; }

function scaled(v, units, base) {
    let i = 0;
    while (i + 1 < units.length && v >= base) { v /= base; i++; }
    return (v >= 100 || i === 0 ? Math.round(v) : v.toPrecision(3)) + " " + units[i];
}
function time(ns) { return ns < 60e9 ? scaled(ns, ["ns", "\u00b5s", "ms", "s"], 1000) : (ns / 1e9).toFixed(ns < 600e9 ? 1 : 0) + " s"; }
function bytes(v) { return scaled(v, ["B", "kB", "MB", "GB", "TB", "PB"], 1000); }
function plural(n, word) { return number(n) + " " + word + (n === 1 ? "" : "s"); }
/* "app.c:7 in solve"; without source lines "solve+0x1f", as pilgrim-decode has it. */
function place_of(row) {
    const at = row.file ? row.file + ":" + row.line : site_at.get(site_key(row.func, row.site));
    return !row.file && at ? at : (at || row.site || "?") + (row.function ? " in " + row.function : "");
}

/* A text that may be broken into lines behind each "::". */
function breakable(text) {
    return text.split(/(?<=::)(?=.)/).flatMap((part, i) => i ? [el("wbr"), part] : [part]);
}

/* ---- elements ---- */

function el(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {}))
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (name === "style") Object.assign(element.style, value);
        else element.setAttribute(name, value);
    for (const child of children.flat(Infinity))
        if (child !== null && child !== undefined) element.append(child);
    return element;
}

function section(id, title, ...children) {
    document.getElementById("nav").append(el("a", { href: "#" + id }, title));
    document.getElementById("main").append(el("section", { id }, el("h2", {}, title), ...children));
}

const note = text => el("p", { class: "faint" }, text);
const not_shown = rows => note("This part has " + bytes(rows[0].left_out) + ", too much for a page. pilgrim-decode prints it.");

function facts(pairs) {
    return el("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== null && value !== "")
        .map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

/* A table whose columns sort it. COLUMNS: {title, value: row -> what it is sorted by, text: row -> what is shown, words: it is no number,
 * code: but of a program, exact: row -> what the pointer tells}. NAME: row -> its anchor, or nothing. SHOWN: so many rows at first. */
function table(columns, rows, sorted_by, name, shown = ROWS_SHOWN) {
    let by = sorted_by, down = true, all = false;
    const body = el("tbody"), head = el("tr"), holder = el("div", { class: "wide" }, el("table", {}, el("thead", {}, head), body));
    const more = el("button", { class: "more", onclick: () => { all = true; show(); } });
    function order(a, b) {
        const x = columns[by].value(a), y = columns[by].value(b);
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    }
    function cell(column, row) {
        const shown = (column.text || column.value)(row);
        return el("td", { class: column.code ? "code" : column.words ? "words" : "number", ...(column.exact ? { title: column.exact(row) } : {}) }, typeof shown === "string" ? breakable(shown) : shown);
    }
    function show() {
        const sorted = [...rows].sort(order).slice(0, all ? rows.length : shown);
        head.replaceChildren(...columns.map((column, i) => el("th", { class: column.words ? "" : "number", "aria-sort": i !== by ? "none" : down ? "descending" : "ascending" },
            el("button", { onclick: () => { down = i === by ? !down : !column.words; by = i; show(); } },
                column.title + (i === by ? (down ? " \u25be" : " \u25b4") : "")))));
        body.replaceChildren(...sorted.map(row => el("tr", name ? { id: name(row) } : {}, columns.map(column => cell(column, row)))));
        more.hidden = sorted.length === rows.length;
        more.textContent = "show all " + number(rows.length);
    }
    show();
    if (name)
        reveals.push(id => { if (!all && rows.some(row => name(row) === id)) { all = true; show(); } });
    return el("div", {}, holder, more);
}

/* Functions that show all rows of a table, if one of them has the anchor. */
const reveals = [];

/* Shows what the address names: opens what is around it, and lists rows that were left out. */
function go_to_anchor() {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id) return;
    if (!document.getElementById(id)) reveals.forEach(reveal => reveal(id)); /* also to a part of a picture */
    const target = document.getElementById(id);
    for (let node = target; node; node = node.parentElement)
        if (node.tagName === "DETAILS") node.open = true;
    if (target) target.scrollIntoView();
}

function legend(more = {}) {
    return el("ul", { class: "legend" }, Object.entries({ ...ACTIVITIES, ...more }).map(([name, words]) =>
        el("li", {}, el("i", { style: { background: "var(--" + name + ")" } }), words)));
}

/* ---- sections ---- */

/* The time of a rank by kind, with MPI_Init as one. Times of kinds are known to 3 %: where MPI_Init leaves less of the other calls, only that. */
function parts_of_time(s) {
    const parts = Object.entries(ACTIVITIES).map(([name, words]) => ({ name, words, ...(s.activities || {})[name] })).filter(part => part.mean > 0);
    const others = parts.find(part => part.name === "other_calls");
    if (!others || !s.init) return parts;
    const left = Math.max(others.mean - s.init, 0.03 * others.mean), known = others.mean - s.init === left, share_of = mean => others.share * mean / others.mean;
    return [...parts.filter(part => part !== others), { name: "other_calls", words: "other calls", mean: left, share: share_of(left), below: known ? "" : "< " },
        { name: "init", words: "MPI_Init", mean: s.init, share: share_of(s.init), min: s.init_min, max: s.init_max, max_rank: s.init_max_rank, imbalance: s.ranks > 1 ? s.init_max / s.init - 1 : undefined }];
}

/* "ranks 0-3, 7" of numbers in order. */
function ranks_text(ranks) {
    const runs = [];
    for (const rank of ranks)
        if (runs.length && runs[runs.length - 1][1] === rank - 1) runs[runs.length - 1][1] = rank;
        else runs.push([rank, rank]);
    return (ranks.length === 1 ? "rank " : "ranks ") + runs.map(([first, last]) => first === last ? first : first + "-" + last).join(", ");
}

/* The block that pilgrim-decode --endings begins with: the ranks that could not go on, and what each waited for. */
function deadlock_block(found) {
    const stuck = found.deadlock, count = stuck.reduce((sum, one) => sum + one.ranks.length, 0);
    const lines = stuck.slice(0, FEW_ROWS + 1).map(one => {
        const several = one.ranks.length > 1, itself = one.ranks.length === 1 && one.waits_for === one.ranks[0];
        const who = one.waits_for === null ? "a message from anyone" : itself ? "itself" : "rank " + one.waits_for;
        return el("li", {}, ranks_text(one.ranks) + " in " + one.func + " at " + place_of(one) + (several ? " wait for " : " waits for ") + who + (one.missing ? ", which has not come to this operation" : ""));
    });
    const left = stuck.slice(FEW_ROWS + 1).reduce((sum, one) => sum + one.ranks.length, 0);
    return el("div", { class: "partial", id: "deadlock" }, el("strong", {}, "Deadlock: "), plural(count, "rank") + (count === 1 ? " waits" : " wait") + " for what cannot come" + (found.since ? " since " + found.since.replace("T", " ").replace("Z", " UTC") : "") + ":",
        el("ul", {}, lines, left ? el("li", {}, "... and " + plural(left, "more rank")) : []));
}

function show_summary(s, all_endings) {
    const endings = all_endings.filter(e => !e.deadlock), deadlock = all_endings.find(e => e.deadlock);
    document.getElementById("title").textContent = s.program || "A run without a name";
    document.title = (s.program || "run") + " - Pilgrim report";
    document.getElementById("about").textContent = (s.arguments || []).join(" ");
    const partial = endings.length ? el("p", { class: "partial" }, "This trace is partial: ", endings.map(ending_words).join("; ") + ". ", el("code", {}, "pilgrim-decode --endings"), " prints the calls that they were in.") : null;
    const crashed = endings.flatMap(e => e.crashes || []);
    const parts = parts_of_time(s), with_rank = (ns, rank) => ns === undefined ? "\u2013" : time(ns) + (rank === undefined ? "" : " (" + rank + ")");
    section("summary", "Summary", partial, deadlock ? deadlock_block(deadlock) : null, facts([
        ["ran on", plural(s.ranks, "rank") + " on " + plural((s.hosts || []).length || 1, "host") + ((s.hosts || []).length ? " (" + s.hosts.slice(0, 4).join(", ") + (s.hosts.length > 4 ? ", ..." : "") + ")" : "") + ", " + plural(s.threads, "thread")],
        ["MPI", s.library], ["recorded", (s.began ? s.began + " " : "") + "by " + (s.tracer || "pilgrim") + (s.timing ? ", PILGRIM_TIMING=" + s.timing : "") + (s.began || !s.written ? "" : "; file of " + s.written)],
        ["wall time", s.wall ? time(s.wall) + " from MPI_Init to " + (endings.length ? "the last call, " : "MPI_Finalize, ") + time(s.init) + " of it in MPI_Init" : "not recorded"],
        ["crashed in", crashed.slice(0, 4).map(c => "rank " + c.rank + ": " + c.stack).join("; ") + (crashed.length > 4 ? "; ..." : "")],
        ["MPI calls", number(s.calls)],
        ["messages", s.messages ? number(s.messages) + " with " + bytes(s.bytes) + ", of " + bytes(s.least_bytes) + " to " + bytes(s.most_bytes) : "none"],
        ["other volume", [["collective", s.collective_bytes], ["one-sided", s.rma_bytes], ["file", s.io_bytes]].filter(p => p[1]).map(p => p[0] + " " + bytes(p[1])).join(", ")],
    ]), parts.length ? [el("div", { class: "bar", role: "img", "aria-label": parts.map(p => p.words + " " + share(p.share)).join(", ") },
        parts.map(p => el("span", { style: { width: 100 * p.share + "%", background: "var(--" + p.name + ")" }, title: p.words + " " + share(p.share) }))),
        legend({ init: "MPI_Init" }),
        table([
            { title: "time of a rank", words: true, value: p => p.words }, { title: "share", value: p => p.share, text: p => (p.below || "") + share(p.share) },
            { title: "mean", value: p => p.mean, text: p => (p.below || "") + time(p.mean) },
            { title: "least (rank)", value: p => p.min || 0, text: p => with_rank(p.min, p.min_rank) },
            { title: "most (rank)", value: p => p.max || 0, text: p => with_rank(p.max, p.max_rank) },
            { title: "imbalance", value: p => p.imbalance || 0, text: p => p.imbalance === undefined ? "\u2013" : share(p.imbalance) }], parts, 1), note(ROUNDED)]
        : note("This trace has no times (PILGRIM_TIMING=off)."),
    findings(s));
}

/* Which section shows what options of pilgrim-decode print. */
const SHOWN_IN = [["--by=rank", "ranks"], ["--by=size", "sizes"], ["--loops", "program"], ["--matrix", "messages"], ["--messages", "messages"], ["--system", "machine"], ["--stats", "sites"], ["--func", "sites"], ["--failed", "sites"], ["--endings", "summary"]];

/* What is odd, and where ranks wait longest, which leads to the other waits. */
function findings(s) {
    const odd = (s.odd || []).map(one => {
        const place = one.tool === "pilgrim-waits" ? ["", "waits"] : SHOWN_IN.find(([options]) => (one.options || "").includes(options));
        const what = one.what + (one.call ? " at " + place_of(one.call) : ""), command = [one.tool, one.options, "TRACE"].filter(word => word).join(" ");
        return el("li", {}, place ? el("a", { href: "#" + place[1] }, what) : what, one.tool ? [" \u2013 ", el("code", {}, command)] : []);
    });
    const lines = waiting_lines(s), waits = lines.slice(0, 1).map(line => el("li", {}, line, " ", el("a", { href: "#waits" }, lines.length > 1 ? "and at " + plural(lines.length - 1, "other place") : "more")));
    return odd.length + waits.length ? [el("h3", {}, "Findings"), el("ul", { id: "odd" }, odd, waits)] : note("Nothing odd was found.");
}

function ending_words(e) {
    return [e.ending || e.what || "", e.ranks !== undefined ? "ranks " + (Array.isArray(e.ranks) ? e.ranks.join("-") : e.ranks) : ""].filter(word => word).join(", ");
}

/* Sums of a node and what is in it, over all threads: time in MPI, and before its calls; bytes moved. */
function add_up(node) {
    node.mpi = node.func && node.func !== "MPI_Finalize" ? node.time : 0; /* it is recorded before it runs */
    node.own = node.func || node.phase ? node.gap || 0 : 0;
    node.moved = node.moved || 0;
    for (const child of node.in || []) {
        add_up(child);
        node.mpi += child.mpi;
        node.own += child.own;
        node.moved += child.moved;
        node.about = node.about || child.about;
    }
}

function trips(node) {
    const mean = node.total / node.times;
    return node.min === node.max ? number(node.min) + "\u00d7" : number(node.min) + "\u2026" + number(node.max) + "\u00d7, mean " + number(mean);
}

const loop_name = node => node.number === undefined ? "loop" : "loop " + node.number;

function node_words(node) {
    const words = [];
    if (node.loop)
        words.push(el("b", {}, loop_name(node)), " " + trips(node));
    else if (node.phase)
        words.push("phase ", el("b", {}, node.texts.join(", ") + (node.more_texts ? ", \u2026" : "")));
    else if (node.function)
        words.push(el("b", {}, node.function));
    else
        words.push(el("span", { class: "code" }, node.func), node.times && (node.min !== 1 || node.max !== 1) ? " " + trips(node) : "");
    if (node.at)
        words.push(el("span", { class: "faint" }, " at " + node.at + (node.places > 1 ? " (" + node.places + " places)" : "")));
    if (node.on)
        words.push(el("span", { class: "faint" }, " " + (typeof node.on === "string" ? node.on : JSON.stringify(node.on))));
    if (node.times < node.around)
        words.push(el("span", { class: "faint" }, " in " + share(node.times / node.around) + " of the rounds"));
    return words;
}

const loop_ids = new Set();

function tree_node(node, whole, program, depth) {
    const threads = program.count;
    const width = part => (whole > 0 ? 100 * part / whole : 0) + "%";
    const spent = [node.mpi, node.own].map(part => part > 0 ? time(part / threads) : "\u2013");
    const row = el("span", { class: "row" }, el("span", { class: "what" }, node_words(node)),
        el("span", { class: "gauge", title: spent[0] + " in MPI, " + spent[1] + " before" }, el("span", { class: "mpi", style: { width: width(node.mpi) } }), el("span", { class: "own", style: { width: width(node.own) } })),
        spent.map(part => el("span", { class: "spent" }, part)), el("span", { class: "spent moved" }, node.moved > 0 ? (node.about ? "\u2248 " : "") + bytes(node.moved / threads) : "\u2013"),
        el("span", { class: "spent uneven" }, node.uneven === undefined ? "\u2013" : share(node.uneven)));
    const id = {};
    if (node.loop) { /* several programs may have the number, and ranks of one program other numbers for a loop: then it has none */
        const wanted = node.number === undefined ? "other" : node.number;
        for (let i = 1; !id.id || loop_ids.has(id.id); i++) id.id = "loop-" + wanted + (i > 1 ? "-" + i : "");
        loop_ids.add(id.id);
        node.anchor = id.id;
    }
    if (!node.in)
        return node.func ? call_node(node, row) : el("div", { class: "leaf" }, row);
    const details = el("details", { class: "node", ...id }, el("summary", {}, row), node.loop ? loop_more(node, program) : null, node.in.map(child => tree_node(child, whole, program, depth + 1)));
    details.open = depth < 3 || node.mpi + node.own > whole / 20;
    return details;
}

function show_program(programs) {
    if (!left_out(programs)) know_all_moved(programs);
    const trees = left_out(programs) ? [not_shown(programs)] : programs.map((p, i) => {
        p.program.forEach(add_up);
        const whole = p.program.reduce((sum, node) => sum + node.mpi + node.own, 0);
        const title = p.threads + ": " + (p.calls_min === p.calls_max ? number(p.calls_min) : number(p.calls_min) + " to " + number(p.calls_max)) + " calls each";
        const tree = el("details", { class: "program" }, el("summary", {}, title), el("div", { class: "leaf" }, el("span", { class: "row faint" }, el("span", { class: "what" }), el("span", { class: "gauge none" }),
            el("span", { class: "spent" }, "in MPI"), el("span", { class: "spent" }, "before"), el("span", { class: "spent moved" }, "moved"), el("span", { class: "spent uneven" }, "imbalance"))), el("div", { class: "tree" }, p.program.map(node => tree_node(node, whole, p, 0))));
        tree.open = i < 4;
        return tree;
    });
    section("program", "The program as loops", el("p", {}, "What the ranks do, by the functions and loops that their calls show. Times are those of a rank: in MPI (",
        el("span", { style: { borderBottom: "3px solid var(--point_to_point)" } }, "blue"), ") and computing before calls (", el("span", { style: { borderBottom: "3px solid var(--computing)" } }, "green"), "). Ranks that do the same are one program. Moved are the bytes that a rank sends and gives to collective calls, and those that it puts, gets, reads and writes; \u2248 where a call site is reached from several places, which share its bytes by their calls. Imbalance is how much longer than the mean the slowest rank is in the calls of a call site, over the whole run. Open a call to see what it does, how long it takes, on which ranks, and with whom; of a loop, how long its iterations take."), trees);
}

/* A canvas as wide as the page allows, drawn by DRAW(context, width, height), and again when the width changes. SAY(x, y): what
 * stands below it for a place; with the arrow keys the place moves. PRESS(key): what other keys do; returns true if they do. */
function drawing(height, label, draw, say, press) {
    const canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": label });
    const tip = el("p", { class: "tip faint", "aria-live": "polite" }, "\u00a0");
    let at = null;
    function paint() {
        const width = Math.max(200, Math.min(1080, canvas.parentElement ? canvas.parentElement.clientWidth : 1080));
        canvas.width = width;
        canvas.height = typeof height === "function" ? height(width) : height;
        draw(canvas.getContext("2d"), canvas.width, canvas.height);
    }
    const tell = () => { tip.textContent = (at && say(...at)) || "\u00a0"; };
    canvas.addEventListener("pointermove", event => {
        const box = canvas.getBoundingClientRect();
        at = [(event.clientX - box.left) * canvas.width / box.width, (event.clientY - box.top) * canvas.height / box.height];
        tell();
    });
    canvas.addEventListener("keydown", event => {
        const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (press && press(event)) event.preventDefault();
        else if (step) {
            event.preventDefault();
            const far = event.shiftKey ? 40 : 4;
            at = at || [canvas.width / 2, canvas.height / 2];
            at = [Math.max(0, Math.min(canvas.width - 1, at[0] + far * step[0])), Math.max(0, Math.min(canvas.height - 1, at[1] + far * step[1]))];
            tell();
        }
    });
    requestAnimationFrame(paint);
    window.addEventListener("resize", paint);
    for (const media of ["(prefers-color-scheme: dark)", "print"]) matchMedia(media).addEventListener("change", paint); /* other colours */
    return { canvas, element: el("div", {}, canvas, tip), paint };
}

/* Zooming into a drawing. AXES: x and y, {from, until: what is seen, min, max, least: the least that can be seen}; y may be null.
 * CHANGED is called when the part that is seen was changed. */
function zooming(view_of, axes, changed) {
    const [x, y] = axes, all = axes.filter(axis => axis);
    function set(axis, from, until) {
        const wide = Math.min(axis.max - axis.min, Math.max(axis.least, until - from)), middle = (from + until) / 2;
        axis.from = Math.max(axis.min, Math.min(axis.max - wide, middle - wide / 2));
        axis.until = axis.from + wide;
    }
    const zoom = (factor, fx = 0.5, fy = 0.5) => {
        all.forEach(axis => {
            const wide = (axis.until - axis.from) * factor, place = axis.from + (axis.until - axis.from) * (axis === x ? fx : fy);
            set(axis, place - wide * (axis === x ? fx : fy), place + wide * (1 - (axis === x ? fx : fy)));
        });
        changed();
    };
    const move = (axis, part) => { if (axis) { const by = (axis.until - axis.from) * part; set(axis, axis.from + by, axis.until + by); changed(); } };
    const reset = () => { all.forEach(axis => set(axis, axis.min, axis.max)); changed(); };
    const show = (...ranges) => { all.forEach((axis, i) => ranges[i] && set(axis, ...ranges[i])); changed(); };
    function press(event) {
        const act = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": reset,
                      a: () => move(x, -0.25), d: () => move(x, 0.25), w: () => move(y, -0.25), s: () => move(y, 0.25) }[event.key];
        if (!act || event.ctrlKey || event.metaKey || event.altKey) return false;
        act();
        return true;
    }
    const button = (words, title, act) => el("button", { class: "more", title, onclick: act }, words);
    const buttons = el("div", { class: "choose" }, button("+", "zoom in (key +)", () => zoom(0.5)), button("\u2212", "zoom out (key -)", () => zoom(2)),
        button("\u2190", "earlier or lower (key a)", () => move(x, -0.25)), button("\u2192", "later or higher (key d)", () => move(x, 0.25)),
        y ? [button("\u2191", "up (key w)", () => move(y, -0.25)), button("\u2193", "down (key s)", () => move(y, 0.25))] : [], button("all", "all of it (key 0)", reset),
        el("span", { class: "faint" }, "Drag over a part to zoom into it."));
    /* Dragging chooses a part; the wheel zooms with Ctrl, so that the page can be scrolled without. */
    function listen() {
        const canvas = view_of().canvas, box_of = () => canvas.getBoundingClientRect();
        const part = (event, box) => [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height].map(v => Math.max(0, Math.min(1, v)));
        let begin = null;
        const frame = el("div", { class: "frame" });
        canvas.after(frame);
        frame.hidden = true;
        canvas.addEventListener("pointerdown", event => { if (event.button === 0) { begin = part(event, box_of()); canvas.setPointerCapture(event.pointerId); } });
        canvas.addEventListener("pointermove", event => {
            if (!begin) return;
            const box = box_of(), now = part(event, box), sides = [0, 1].map(i => [Math.min(begin[i], now[i]), Math.max(begin[i], now[i])]);
            const high = y ? sides[1] : [0, 1];
            frame.hidden = Math.abs(now[0] - begin[0]) * box.width < 4;
            Object.assign(frame.style, { left: canvas.offsetLeft + sides[0][0] * box.width + "px", width: (sides[0][1] - sides[0][0]) * box.width + "px",
                                         top: canvas.offsetTop + high[0] * box.height + "px", height: (high[1] - high[0]) * box.height + "px" });
        });
        canvas.addEventListener("pointerup", event => {
            const from = begin, box = box_of();
            begin = null;
            frame.hidden = true;
            if (!from) return;
            const to = part(event, box);
            if (Math.abs(to[0] - from[0]) * box.width < 4) return;
            const sides = [0, 1].map(i => [Math.min(from[i], to[i]), Math.max(from[i], to[i])]);
            const range = (axis, [low, high]) => [axis.from + low * (axis.until - axis.from), axis.from + high * (axis.until - axis.from)];
            show(range(x, sides[0]), y && (sides[1][1] - sides[1][0]) * box.height >= 4 ? range(y, sides[1]) : null);
        });
        canvas.addEventListener("pointercancel", () => { begin = null; frame.hidden = true; });
        canvas.addEventListener("dblclick", reset);
        canvas.addEventListener("wheel", event => {
            if (!event.ctrlKey) return;
            event.preventDefault();
            zoom(event.deltaY < 0 ? 0.8 : 1.25, ...part(event, box_of()));
        }, { passive: false });
    }
    return { press, buttons, listen, reset, show, zoom };
}

function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function show_sites(rows) {
    const sites = left_out(rows) ? rows : site_rows;
    section("sites", "Call sites", left_out(rows) ? not_shown(rows) : table([
        { title: "function", words: true, code: true, value: row => row.func }, { title: "called at", words: true, code: true, value: place_of, exact: row => row.site || "" },
        { title: "calls", value: row => row.calls.total, text: row => number(row.calls.total) },
        { title: "ranks", value: row => row.ranks, text: row => number(row.ranks) },
        { title: "time, all ranks", value: row => row.time ? row.time.total : 0, text: row => row.time ? time(row.time.total) : "\u2013" },
        { title: "share", value: row => row.share || 0, text: row => row.share === undefined ? "\u2013" : share(row.share) },
        { title: "most on a rank", value: row => row.time ? row.time.max : 0, text: row => ranks_known(row) ? time(row.time.max) + (row.time.max_rank !== undefined ? " (" + row.time.max_rank + ")" : "") : "\u2013" },
        { title: "imbalance", value: row => row.time ? row.time.imbalance : 0, text: row => ranks_known(row) ? share(row.time.imbalance) : "\u2013" },
        { title: "bytes", value: row => row.bytes.total, text: row => row.bytes.total ? bytes(row.bytes.total) : "\u2013" },
        ...(sites.some(row => row.failed) ? [{ title: "failed", value: row => row.failed, text: row => row.failed ? number(row.failed) : "\u2013" }] : [])], sites, 4, row => "site-" + site_numbers.get(site_key(row.func, row.site))));
}

/* Bars, one below the other: [label, value, what stands behind it]. */
function bars(rows, kind) {
    const most = Math.max(...rows.map(row => row[1]), 1);
    return el("div", { class: "bars" }, rows.map(([label, value, words]) => [el("span", { class: "number" }, label),
        el("span", { class: "track" }, el("span", { style: { width: 100 * value / most + "%", background: "var(--" + kind + ")" } })), el("span", {}, words)]));
}

/* Messages by size, and collective calls by size: rows of --by=function,size added up over functions. */
function by_size(sizes, wanted, count) {
    const sums = new Map();
    for (const row of sizes.filter(wanted)) {
        const sum = sums.get(row.size_min) || { from: row.size_min, to: row.size_max, count: 0, ns: 0 };
        sum.count += count(row);
        sum.ns += row.time ? row.time.total : 0;
        sums.set(row.size_min, sum);
    }
    return [...sums.values()].filter(sum => sum.count > 0).sort((a, b) => a.from - b.from);
}
const size_words = sum => sum.to > sum.from ? bytes(sum.from) + " to " + bytes(sum.to) : bytes(sum.from);

function show_sizes(rows) {
    if (left_out(rows)) return section("sizes", "Sizes of what calls move", not_shown(rows));
    const sizes = rows.filter(row => row.func && row.size_min !== undefined && row.calls.total > 0);
    if (!sizes.length) return section("sizes", "Sizes of what calls move", note("No call moved anything."));
    const messages = by_size(sizes, row => row.messages > 0, row => row.messages), collectives = by_size(sizes, row => row.collective_bytes > 0, row => row.calls.total);
    section("sizes", "Sizes of what calls move",
        messages.length ? [el("h3", {}, "Messages by size"), bars(messages.map(sum => [size_words(sum), sum.count, plural(sum.count, "message")]), "point_to_point")] : [],
        collectives.length ? [el("h3", {}, "Collective calls by size"), bars(collectives.map(sum => [size_words(sum), sum.count, plural(sum.count, "call") + (sum.ns ? ", " + time(sum.ns / sum.count) + " each" : "")]), "collective")] : [],
        el("h3", {}, "By function"), table([
            { title: "function", words: true, code: true, value: row => row.func },
            { title: "bytes each", value: row => row.size_min, text: row => row.size_max > row.size_min ? number(row.size_min) + " to " + number(row.size_max) : number(row.size_min) },
            { title: "calls", value: row => row.calls.total, text: row => number(row.calls.total) },
            { title: "bytes", value: row => row.bytes.total, text: row => bytes(row.bytes.total) },
            { title: "time, all ranks", value: row => row.time ? row.time.total : 0, text: row => row.time ? time(row.time.total) : "\u2013" }], sizes, 3, undefined, FEW_ROWS));
}

function machine_tree(node) {
    const names = node.names === undefined ? "" : " " + (Array.isArray(node.names) ? node.names.join(", ") : node.names);
    const words = (node.copies > 1 ? node.copies + " \u00d7 " : "") + (node.class === "unknown" ? "host that was not recorded" : node.class + names) + (node.rank !== undefined ? ", from rank " + node.rank : "");
    if (!node.children)
        return el("div", { class: "leaf" }, words);
    return el("details", { class: "node", open: "" }, el("summary", {}, words), node.children.map(machine_tree));
}

/* What a trace knows of times, by PILGRIM_TIMING. */
const PRECISION = [["off", "there are no times"], ["aggregate", "of each call site, how long its calls took and the computing before them: mean, least, most and distribution, not the single calls"],
    ["bins", "of each call, when it began and how long it took, each rounded to a bin"], ["exact", "of each call, when it began and when it ended, as the clock had it"]];

function show_machine(properties, machine, partial) {
    const timing = (properties.find(row => row.property === "timing") || {}).value || "", known = PRECISION.find(([mode]) => timing.startsWith(mode));
    section("machine", "Machine and settings", facts([...properties.map(row => [row.property, String(row.value)]), ["precision of times", known && known[1] + (partial && known[0] !== "off" ? "; of processes that died, of blocks of calls only" : "")]]),
        left_out(machine) ? not_shown(machine) : el("div", { class: "tree" }, machine.map(machine_tree)));
}

const VIEWS = { properties: "settings", endings: "how ranks ended", diff: "what differs between the traces", other: "the summary of the other trace", sites: "call sites", sizes: "sizes", calls: "what calls do, and the distribution of their times",
    loops: "the program as loops", ranks: "times of ranks", hosts: "hosts of ranks", machine: "the machine", waits: "waits", matrix: "messages from rank to rank", "rank-sites": "call sites by rank", phases: "phases by rank", pairs: "messages by call site and communicator", timeline: "the timeline" };

/* Says which parts there was no room for. */
function show_left_out() {
    const parts = Object.keys(VIEWS).filter(name => text_of(name).startsWith("{\"left_out\":")).map(name => VIEWS[name] + " (" + bytes(rows_of(name)[0].left_out) + ")");
    if (parts.length) document.getElementById("summary").append(note("Left out, since the page would be too large: " + parts.join(", ") + ". pilgrim-decode prints all of it."));
}

function show_all() {
    const summary = rows_of("summary")[0] || {};
    const sites = rows_of("sites"), calls = rows_of("calls");
    know_sites(sites);
    know_calls(calls);
    show_summary(summary, rows_of("endings"));
    show_left_out();
    show_compared(rows_of("diff"), summary, rows_of("other"));
    show_waits(rows_of("waits"), summary);
    const programs = rows_of("loops");
    show_program(programs);
    show_timeline(rows_of("timeline"), summary);
    show_typical(programs);
    show_ranks(rows_of("ranks"), rows_of("hosts"));
    show_heat("rank-sites", "Call sites by rank", row => row.func + " at " + site_place(row));
    show_heat("phases", "Phases by rank", row => row.phase === null ? "before the first marker" : row.phase);
    show_matrix(text_of("matrix"), rows_of("pairs"), summary.ranks || 1);
    show_sites(sites);
    show_sizes(rows_of("sizes"));
    show_machine(rows_of("properties"), rows_of("machine"), rows_of("endings").length > 0);
    document.getElementById("footer").textContent = "Made from the trace by pilgrim-report. pilgrim-decode prints each figure, and each call.";
    window.addEventListener("hashchange", go_to_anchor);
    window.addEventListener("beforeprint", () => document.querySelectorAll("details.program, details.node:not(.call)").forEach(node => { node.open = true; }));
    go_to_anchor();
    requestAnimationFrame(() => setTimeout(() => { performance.mark("drawn"); document.body.dataset.drawn = "yes"; })); /* for tests */
}
