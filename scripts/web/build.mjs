// Bundles what the studio's page takes from others into web/vendor, with licences and hashes. A maintainer runs it:
//   cd scripts/web && npm ci --omit-lockfile-registry-resolved && npm run build
// The same lock file gives the same bytes.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "../../src/exitgate/surfaces/studio/web/vendor");
const entries = readdirSync(join(here, "entries")).sort();

/** The folder of the package that a bundled file belongs to. */
const folderOf = (file) => /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];

/** Name, version, licence and its text, of the package in a folder. */
const packageOf = (folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
  const file = readdirSync(join(here, folder)).find((one) => /^licen[cs]e/i.test(one));
  if (!license || !file) throw new Error(`${folder} names no licence`);
  return { name, version, license, text: readFileSync(join(here, folder, file), "utf8").trim() };
};

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const files = {};
const licences = new Map();
for (const entry of entries) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: [join("entries", entry)],
    outfile: join(out, entry),
    bundle: true, minify: true, format: "esm", target: "es2022", charset: "utf8", legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
    metafile: true, write: false,
  });
  const folders = new Set(Object.keys(metafile.inputs).map(folderOf).filter(Boolean));
  const packages = [...folders].map(packageOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  const [{ path, contents }] = outputFiles;
  const banner = `// ${packages.map(({ name, version }) => `${name} ${version}`).join(", ")}; licences in LICENSES.txt\n`;
  const bytes = Buffer.concat([Buffer.from(banner), Buffer.from(contents)]);
  writeFileSync(path, bytes);
  for (const one of packages) licences.set(one.name, one);
  files[basename(path)] = {
    sha256: sha256(bytes),
    packages: packages.map(({ name, version, license }) => ({ name, version, license })),
  };
}

const sorted = [...licences.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
const texts = sorted.map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`);
const all = texts.join(`\n${"-".repeat(78)}\n\n`);
writeFileSync(join(out, "LICENSES.txt"), all);
files["LICENSES.txt"] = { sha256: sha256(all), packages: [] };
writeFileSync(join(out, "manifest.json"), `${JSON.stringify({ files }, null, 2)}\n`);
for (const name of readdirSync(out).sort()) console.log(relative(join(here, "../.."), join(out, name)));
