import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

const HEIGHT = 150

export interface Line {
  readonly label: string
  readonly values: readonly (number | null)[]
}

export interface TrendProps {
  readonly title: string
  /** Milliseconds since 1970, one for each value. */
  readonly times: readonly number[]
  /** The first is drawn whole, the others dashed. */
  readonly lines: readonly Line[]
  readonly format: (value: number) => string
  /** The most there can be; without it as much as there is. */
  readonly most?: number
}

/** How something went over time. Who can't see it is told its last value. */
export function Trend(props: TrendProps) {
  const { title, times, lines, format, most } = props
  const box = useRef<HTMLDivElement>(null)
  const isEmpty = lines.every(({ values }) => values.every(value => value === null))
  useEffect(() => {
    const parent = box.current
    if (!parent) return undefined
    const plot = draw(parent, props)
    const resized = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }))
    resized.observe(parent)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [times, lines, format, most])
  return (
    <figure class="card trend">
      <figcaption>
        <strong>{title}</strong>
        {lines.length > 1 && (
          <span class="soft small">
            {' '}
            {lines.map(({ label }, i) => (i === 0 ? label : `dashed ${label}`)).join(', ')}
          </span>
        )}
      </figcaption>
      {isEmpty ? (
        <p class="soft small">Nothing to show yet.</p>
      ) : (
        <div ref={box} class="chart" role="img" aria-label={toldOf(props)} />
      )}
    </figure>
  )
}

function draw(parent: HTMLElement, { times, lines, format, most }: TrendProps): uPlot {
  const style = getComputedStyle(parent)
  const [accent = '', soft = '', line = ''] = ['--accent', '--soft', '--line'].map(name =>
    style.getPropertyValue(name).trim(),
  )
  const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { show: false } }
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map(value => value ?? 0)))
  return new uPlot(
    {
      width: parent.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: [0, most ?? (highest > 0 ? highest * 1.1 : 1)] } },
      axes: [
        { ...axis, size: 30, space: 60, values: (_, splits) => splits.map(day) },
        { ...axis, size: 58, space: 34, values: (_, splits) => splits.map(format) },
      ],
      series: [
        {},
        ...lines.map((_, i) => ({
          stroke: i === 0 ? accent : soft,
          width: 2,
          points: { show: true, size: 6, fill: i === 0 ? accent : soft },
          ...(i > 0 && { dash: [4, 4] }),
        })),
      ],
    },
    [times.map(time => time / 1_000), ...lines.map(({ values }) => [...values])],
    parent,
  )
}

const day = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleDateString(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

function toldOf({ title, lines, format }: TrendProps): string {
  const last = lines.map(({ label, values }) => {
    const known = values.filter(value => value !== null)
    const value = known.at(-1)
    return value === undefined ? `${label}: nothing yet` : `${label} ${format(value)} at last, of ${known.length}`
  })
  return `${title} over time. ${last.join('; ')}.`
}
