// SPDX-License-Identifier: BSD-3-Clause
// Prints the rows of an Arrow file as JSON, a line each, as apache-arrow reads it: arrow_rows.mjs FOLDER_OF_MODULES FILE
import {createRequire} from 'module';
import {readFileSync} from 'fs';
const {tableFromIPC} = createRequire(process.argv[2] + '/')('apache-arrow');
const table = tableFromIPC(readFileSync(process.argv[3]));
for (const row of table)
    console.log(JSON.stringify(row.toJSON(), (key, value) => typeof value === 'bigint' ? Number(value) : value));
