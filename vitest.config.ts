import { defineConfig } from 'vitest/config'

const long = process.env['SELFSAME_LONG'] === '1'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: long ? 3_600_000 : 60_000,
    hookTimeout: long ? 600_000 : 60_000,
  },
})
