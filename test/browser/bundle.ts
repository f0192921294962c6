import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A script of ours as a page gets it from a bundler: one file, with all it imports. */
export async function bundle(entry: string): Promise<string> {
  const built = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, rollupOptions: { input: entry, output: { codeSplitting: false } } },
  })
  for (const { output } of [built].flat().filter(part => 'output' in part))
    for (const file of output) if (file.type === 'chunk') return file.code
  throw new Error(`Nothing was built of ${entry}.`)
}
