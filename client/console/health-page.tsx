import { useEffect, useMemo } from 'preact/hooks'
import type { Alert, Desk, Quality, QualityAnswer } from '../index.ts'
import { ask } from './ask.tsx'
import { list } from './desk-list.ts'
import { followHealth, health, type Period, period } from './health.ts'
import { tell } from './notice.tsx'
import { now } from './session.ts'
import { Trend } from './trend.tsx'
import { ago, span, titleOf } from './wording.ts'
import './style/health.css'

const PERIODS: readonly (readonly [Period, string])[] = [
  ['day', 'Days'],
  ['week', 'Weeks'],
]
const RESOLVED = 5

/** How well handoffs go: what is wrong now, how it went, and with whom. */
export function HealthPage({ desk }: { readonly desk: Desk }) {
  const by = period.value
  useEffect(() => followHealth(desk, by), [desk, by])
  const state = health.value
  return (
    <div class="page">
      <div class="heading">
        <h1 class="grow">Health</h1>
        <fieldset class="inline choice">
          <legend class="hidden">Trend by</legend>
          {PERIODS.map(([value, label]) => (
            <button key={value} type="button" aria-pressed={by === value} onClick={() => (period.value = value)}>
              {label}
            </button>
          ))}
        </fieldset>
      </div>
      {state.name === 'loading' && <p class="soft">Loading…</p>}
      {state.name === 'unknown' && <p class="notice bad">{state.why}</p>}
      {state.name === 'known' && <Known desk={desk} quality={state.quality} />}
    </div>
  )
}

function Known({ desk, quality }: { readonly desk: Desk; readonly quality: QualityAnswer }) {
  const { total, targets, alerts, breakers, open } = quality
  return (
    <>
      <Alerts alerts={alerts} />
      <Waiting desk={desk} />
      <Figures total={total} open={open} />
      {total.offered + total.accepted === 0 ? (
        <p class="card blank">No handoffs in this time. They are counted as soon as work is handed on.</p>
      ) : (
        <>
          <Trends quality={quality} />
          <Targets targets={targets} breakers={breakers} />
        </>
      )}
    </>
  )
}

function Alerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  const active = alerts.filter(({ state }) => state === 'fired')
  const resolved = alerts.filter(({ state }) => state === 'resolved').slice(0, RESOLVED)
  return (
    <section class="list" aria-live="polite">
      <h2>Alerts {active.length > 0 && <span class="soft">{active.length}</span>}</h2>
      {active.length + resolved.length === 0 && <p class="empty">Nothing is wrong.</p>}
      {active.length + resolved.length > 0 && (
        <ul>
          {[...active, ...resolved].map(alert => (
            <AlertRow key={`${alert.id}${alert.state}`} alert={alert} />
          ))}
        </ul>
      )}
    </section>
  )
}

const AlertRow = ({ alert: { tier, to, message, state, since, at } }: { readonly alert: Alert }) => (
  <li class="row">
    <span class={`tier ${state === 'resolved' ? 'over' : tier}`}>{state === 'resolved' ? 'resolved' : tier}</span>
    <p class="grow">
      <strong>{titleOf(to)}:</strong> {message}
    </p>
    <span class="soft small">{state === 'resolved' ? ago(at, now.value) : `for ${span(now.value - since)}`}</span>
  </li>
)

const WHY: Readonly<Record<string, string>> = {
  unanswered: 'Nobody answered',
  circuit_open: 'Its breaker stayed open',
  hop_limit: 'Handed on too often',
  lapsed: 'Too many holders vanished or gave up',
  expired: 'The grant ran out',
  revoked: 'The grant was taken back',
}

/** What waits for a person, by the reason why. */
function Waiting({ desk }: { readonly desk: Desk }) {
  const parked = list.value?.parked ?? []
  const reasons = [...new Set(parked.map(({ why = '' }) => why))].sort()
  if (reasons.length === 0) return null
  return (
    <section class="list">
      <h2>
        Waiting for a person <span class="soft">{parked.length}</span>
      </h2>
      <ul>
        {reasons.map(why => {
          const all = parked.filter(each => each.why === why)
          const oldest = Math.min(...all.map(({ made }) => made))
          return (
            <li key={why} class="row">
              <p class="grow">
                <strong>{WHY[why] ?? titleOf(why)}:</strong> {all.length}
                <span class="soft small"> · the oldest for {span(now.value - oldest)}</span>
              </p>
              <button type="button" onClick={() => replay(desk, why, all.length)}>
                Replay all
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const replay = (desk: Desk, why: string, count: number): void =>
  ask({
    title: `Replay ${count}`,
    about: 'Each is offered anew to whom it was offered first, some at a time, with a grant of yours.',
    inputs: [],
    action: 'Replay all',
    run: async () => {
      const { replayed } = await desk.replay({ state: 'parked', why })
      tell(`${replayed.length} on their way again.`)
    },
  })

function Figures({ total, open }: { readonly total: Quality; readonly open: QualityAnswer['open'] }) {
  const { latency, hops } = total
  return (
    <dl class="figures">
      <Figure label="Offer to accept" value={latency && duration(latency.p50)}>
        {latency && `p95 ${duration(latency.p95)} · p99 ${duration(latency.p99)}`}
      </Figure>
      <Figure label="Completeness" value={shareOf(total.completeness)}>
        of what was needed was there
      </Figure>
      <Figure label="Failures" value={shareOf(total.failureRate)}>
        {`${total.exhausted + total.lapsed + total.failed + total.expired} of ${ended(total)}`}
      </Figure>
      <Figure label="Repeats" value={shareOf(total.repeatRate)}>
        {`${total.repeats} of ${total.asked + total.heard} asked or heard could have been read`}
      </Figure>
      <Figure label="Hops" value={hops && decimal(hops.mean)}>
        {hops && `at most ${hops.most}`}
      </Figure>
      <Figure label="Tokens" value={total.tokens === null ? null : String(Math.round(total.tokens))}>
        of a narrative with a budget
      </Figure>
      <Figure label="Open now" value={String(Object.values(open).reduce((sum, count) => sum + count, 0))}>
        {`${open['offered'] ?? 0} offered · ${open['parked'] ?? 0} wait for a person`}
      </Figure>
    </dl>
  )
}

interface FigureProps {
  readonly label: string
  readonly value: string | null
  readonly children: string | null
}

const Figure = ({ label, value, children }: FigureProps) => (
  <div class="card figure">
    <dt>{label}</dt>
    <dd>
      <span class="large">{value ?? '—'}</span>
      {value !== null && <span class="soft small">{children}</span>}
    </dd>
  </div>
)

function Trends({ quality: { trend, by } }: { readonly quality: QualityAnswer }) {
  const drawn = useMemo(() => {
    const of = (value: (quality: Quality) => number | null) => trend.map(({ total }) => value(total))
    return {
      times: trend.map(({ from }) => from),
      latency: [
        { label: 'p50', values: of(({ latency }) => latency?.p50 ?? null) },
        { label: 'p95', values: of(({ latency }) => latency?.p95 ?? null) },
      ],
      completeness: [{ label: 'completeness', values: of(({ completeness }) => completeness) }],
      failures: [{ label: 'failures', values: of(({ failureRate }) => failureRate) }],
      repeats: [{ label: 'repeats', values: of(({ repeatRate }) => repeatRate) }],
    }
  }, [trend])
  const { times } = drawn
  return (
    <section class="list">
      <h2>By {by}</h2>
      <div class="trends">
        <Trend title="Offer to accept" times={times} lines={drawn.latency} format={duration} />
        <Trend title="Completeness" times={times} lines={drawn.completeness} format={share} most={1} />
        <Trend title="Failures" times={times} lines={drawn.failures} format={share} />
        <Trend title="Repeats" times={times} lines={drawn.repeats} format={share} />
      </div>
    </section>
  )
}

function Targets({ targets, breakers }: Pick<QualityAnswer, 'targets' | 'breakers'>) {
  return (
    <section class="list">
      <h2 id="targets">By target</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by keyboard */}
      <section class="card wide" tabIndex={0} aria-labelledby="targets">
        <table>
          <thead>
            <tr>
              {['Target', 'Offered', 'Accepted', 'p95', 'Completeness', 'Failures', 'Repeats', 'Breaker'].map(title => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Object.entries(targets).map(([role, quality]) => (
              <tr key={role}>
                <th scope="row">{titleOf(role)}</th>
                <td>{quality.offered}</td>
                <td>{quality.accepted}</td>
                <td>{quality.latency ? duration(quality.latency.p95) : '—'}</td>
                <td>{shareOf(quality.completeness) ?? '—'}</td>
                <td>{shareOf(quality.failureRate) ?? '—'}</td>
                <td>{shareOf(quality.repeatRate) ?? '—'}</td>
                <td>{breakerOf(role, breakers)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}

/** Of a role and of each of its agents that has one. */
function breakerOf(role: string, breakers: QualityAnswer['breakers']) {
  const own = Object.entries(breakers).filter(([target]) => target === role || target.startsWith(`${role}/`))
  if (own.length === 0) return 'closed'
  return own.map(([target, state]) => (
    <span key={target} class={`tier ${state === 'open' ? 'critical' : 'warning'}`}>
      {target === role ? state : `${target.slice(role.length + 1)} ${state}`}
    </span>
  ))
}

const ended = ({ exhausted, lapsed, failed, expired, completed, returned, passed }: Quality): number =>
  exhausted + lapsed + failed + expired + completed + returned + passed

/** With one decimal: 2 % is where it begins to matter. */
const share = (part: number): string => `${Math.round(part * 1_000) / 10} %`
const shareOf = (part: number | null): string | null => (part === null ? null : share(part))
const decimal = (value: number): string => String(Math.round(value * 10) / 10)

function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${decimal(milliseconds / 1_000)} s`
  return milliseconds < 3_600_000 ? `${decimal(milliseconds / 60_000)} min` : `${decimal(milliseconds / 3_600_000)} h`
}
