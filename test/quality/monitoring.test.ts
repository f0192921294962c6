import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ALERT_KINDS } from '../../model/wire/quality.ts'
import { ROOT } from '../server/process/program.ts'
import { Fleet } from './fleet.ts'

const read = (name: string): string => readFileSync(join(ROOT, 'server/monitoring', name), 'utf8')
const named = (text: string): string[] => [...new Set(text.match(/selfsame_[a-z_]+/g))]

test('[QUAL-11] every metric and label that the Prometheus rules and the Grafana dashboard name is told at /metrics, and both are packed', async () => {
  const fleet = await Fleet.start()
  await fleet.failed({ tokens: 900 })
  await fleet.completed()
  const { text } = await (await fleet.agents.caller('sue:supervisor')).get('/metrics')
  const told = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
  const [rules, dashboard] = [read('alerts.yml'), read('dashboard.json')]
  const used = [...named(rules), ...named(dashboard)]
  expect(used.length).toBeGreaterThan(12)
  expect(used.filter(name => !told.has(name))).toEqual([])
  for (const kind of ALERT_KINDS) expect(rules).toContain(`kind="${kind}"`)
  const kinds = [...rules.matchAll(/kind="([a-z_0-9]+)"/g)].map(([, kind]) => kind)
  expect(kinds.filter(kind => !ALERT_KINDS.some(known => known === kind))).toEqual([])
  expect(JSON.parse(dashboard).panels.length).toBeGreaterThan(8)
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, stdio: 'pipe' })
  const files = JSON.parse(String(packed))[0].files.map(({ path }: { path: string }) => path)
  expect(files).toEqual(expect.arrayContaining(['server/monitoring/alerts.yml', 'server/monitoring/dashboard.json']))
})
