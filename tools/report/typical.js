/* The section of typical iterations: what one iteration of a loop takes on average, drawn from the statistics of its calls. */

const LOOPS_OFFERED = 200, BAND = 14, STRIP = 44;

/* Loops of all programs, the longest first: {loop, threads, length: ns of an iteration}. add_up has been there. */
function loops_in(programs) {
    const found = [];
    function look(node, threads) {
        const spent = node.mpi + node.own;
        if (node.loop && node.total > 0 && spent > 0)
            found.push({ loop: node, threads, length: spent / node.total, spent });
        (node.in || []).forEach(child => look(child, threads));
    }
    programs.forEach(p => p.program.forEach(node => look(node, p.threads)));
    return found.sort((a, b) => b.spent - a.spent);
}

/* An iteration of a loop from its begin on: `parts`, computing and calls one behind the other, and `bands`, the loops and functions around
 * them. Each takes what it took in all iterations of all threads, divided by their number. */
function iteration_of(loop) {
    const parts = [], bands = [];
    let now = 0, rows = 0;
    function add(node, ns, computing) {
        if (ns > 0) parts.push({ start: now, length: ns / loop.total, node, computing });
        now += Math.max(0, ns) / loop.total;
    }
    function walk(node, row) {
        if (node.phase) /* its marker */
            add(node, node.gap || 0, true);
        if (node.func && node.func !== "MPI_Finalize") { /* it is recorded before it runs */
            add(node, node.gap || 0, true);
            add(node, node.time || 0, false);
        }
        const band = { start: now, node, row };
        if (node.in && node !== loop) {
            bands.push(band);
            rows = Math.max(rows, row + 1);
        }
        (node.in || []).forEach(child => walk(child, node === loop ? row : row + 1));
        band.length = now - band.start;
    }
    walk(loop, 0);
    return { parts, bands, rows, length: now };
}

const node_name = node => node.loop ? loop_name(node) + ", " + trips(node) : (node.phase ? "phase " + node.texts.join(", ") : node.function || node.func) + (node.at ? " at " + node.at : "");

function part_words(part, loop) {
    const each = part.node.total / loop.total; /* calls in an iteration */
    return (part.computing ? "computing before " : "") + node_name(part.node) + (Math.abs(each - 1) > 1e-9 ? ", " + number(each) + "\u00d7" : "");
}

function show_iteration(chosen, select) {
    const iteration = iteration_of(chosen.loop), { parts, bands, rows, length } = iteration;
    const in_mpi = parts.filter(part => !part.computing).reduce((sum, part) => sum + part.length, 0);
    const at = (list, x, row) => list.find(p => x >= p.start && x < p.start + p.length && (row === undefined || p.row === row));
    const view = drawing(rows * BAND + STRIP, "a typical iteration from its begin on the left; the table below has the figures", (context, width, height) => {
        const left = part => Math.floor(part.start / length * width), right = part => Math.floor((part.start + part.length) / length * width);
        context.clearRect(0, 0, width, height);
        context.font = "11px system-ui, sans-serif";
        for (const band of bands) {
            const wide = Math.max(1, right(band) - left(band) - 1), text = node_name(band.node);
            context.fillStyle = colour(band.node.loop ? "other_calls" : "line");
            context.fillRect(left(band), band.row * BAND, wide, BAND - 2);
            context.fillStyle = colour(band.node.loop ? "paper" : "ink");
            if (wide > context.measureText(text).width + 6) context.fillText(text, left(band) + 3, band.row * BAND + BAND - 4);
        }
        for (const part of parts) {
            context.fillStyle = colour(part.computing ? "computing" : "point_to_point");
            context.fillRect(left(part), rows * BAND, Math.max(1, right(part) - left(part)), height - rows * BAND);
        }
    }, (x, y) => {
        const ns = x / view.canvas.width * length, row = Math.floor(y / BAND), hit = row < rows ? at(bands, ns, row) : at(parts, ns);
        return hit && (row < rows ? node_name(hit.node) : part_words(hit, chosen.loop)) + ": " + time(hit.length);
    });
    view.canvas.addEventListener("click", event => {
        const box = view.canvas.getBoundingClientRect(), row = Math.floor((event.clientY - box.top) * view.canvas.height / box.height / BAND);
        const hit = row < rows && at(bands, (event.clientX - box.left) / box.width * length, row);
        if (hit && hit.node.loop) select(hit.node);
    });
    return [el("p", {}, el("a", { href: "#" + chosen.loop.anchor }, loop_name(chosen.loop).replace("l", "L")), " of " + chosen.threads + ", " + trips(chosen.loop) + ": an iteration takes ",
        el("span", { title: exact_ns(length), class: "length" }, time(length)), " on average, " + share(in_mpi / length) + " of it in MPI."), view.element,
    table([{ title: "begins at", value: part => part.start, text: part => time(part.start) },
        { title: "what", words: true, code: true, value: part => part_words(part, chosen.loop) },
        { title: "takes", value: part => part.length, text: part => time(part.length), exact: part => exact_ns(part.length) },
        { title: "share", value: part => part.length, text: part => share(part.length / length) }], parts, 2, undefined, FEW_ROWS)];
}

function show_typical(programs) {
    if (left_out(programs)) {
        section("iteration", "A typical iteration", not_shown(programs));
        return;
    }
    const loops = loops_in(programs), offered = loops.slice(0, LOOPS_OFFERED);
    if (!loops.length) {
        section("iteration", "A typical iteration", note("This trace has no loops with times."));
        return;
    }
    const holder = el("div");
    const show = i => holder.replaceChildren(...show_iteration(offered[i], node => {
        const k = offered.findIndex(one => one.loop === node);
        if (k >= 0) { choice.value = String(k); show(k); }
    }).flat());
    const choice = el("select", { onchange: () => show(Number(choice.value)) }, offered.map((one, i) =>
        el("option", { value: String(i) }, loop_name(one.loop) + ", " + trips(one.loop) + ", " + time(one.length) + " each (" +
            (one.threads.length > 40 ? one.threads.slice(0, 40) + "\u2026" : one.threads) + ")")));
    section("iteration", "A typical iteration", el("p", {}, "Drawn from means over all iterations and ranks of a loop, not from one that was measured: computing (",
        el("span", { style: { borderBottom: "3px solid var(--computing)" } }, "green"), ") and MPI calls (", el("span", { style: { borderBottom: "3px solid var(--point_to_point)" } }, "blue"),
        ") in the program's order; above them the functions and inner loops that they are in. A click on an inner loop shows that loop. Calls of an inner loop or of several places in turn are drawn as one. How iterations differ, statistics do not tell: with times of calls (PILGRIM_TIMING=bins or exact), the timeline has each of them, and the loop in the program above their distribution."),
    el("label", { class: "choose" }, "Show ", choice), loops.length > offered.length ? note("The " + LOOPS_OFFERED + " longest of " + number(loops.length) + " loops.") : null, holder);
    show(0);
}
