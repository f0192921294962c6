import { configDefaults, defineConfig } from 'vitest/config'

const long = process.env['SELFSAME_LONG'] === '1'
/** Takes minutes: `npm run mutations`, or with everything else in the long run. */
const mutations = long || process.env['SELFSAME_MUTATIONS'] === '1'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(mutations ? [] : ['test/mutation/**'])],
    testTimeout: long ? 3_600_000 : 60_000,
    hookTimeout: long ? 600_000 : 60_000,
  },
})
