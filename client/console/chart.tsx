import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Moment } from '../index.ts'
import { percent, shown } from './wording.ts'

const HEIGHT = 130

/** How sure we were and, dashed, how sure we will be if nothing more is said. */
export function Chart({ course, now }: { readonly course: readonly Moment[]; readonly now: number }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const parent = box.current
    if (!parent) return undefined
    const plot = draw(parent, course, now)
    const resized = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }))
    resized.observe(parent)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [course, now])
  return <div ref={box} class="chart" role="img" aria-label={told(course, now)} />
}

function draw(parent: HTMLElement, course: readonly Moment[], now: number): uPlot {
  const style = getComputedStyle(parent)
  const [accent, soft, line] = ['--accent', '--soft', '--line'].map(name => style.getPropertyValue(name).trim())
  const axis = { stroke: soft ?? '', grid: { stroke: line ?? '', width: 1 }, ticks: { show: false } }
  const past = course.map(({ at, confidence }) => (at <= now ? confidence : null))
  const ahead = course.map(({ at, confidence }) => (at >= now ? confidence : null))
  const series = { stroke: accent ?? '', width: 2, points: { show: false } }
  return new uPlot(
    {
      width: parent.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: [0, 1] } },
      axes: [axis, { ...axis, size: 48, splits: [0, 0.5, 1], values: (_, splits) => splits.map(percent) }],
      series: [{}, series, { ...series, dash: [4, 4] }],
    },
    [course.map(({ at }) => at / 1_000), past, ahead],
    parent,
  )
}

function told(course: readonly Moment[], now: number): string {
  const today = course.findLast(({ at }) => at <= now)
  const end = course.at(-1)
  if (!today || !end) return 'No course'
  return `Confidence over time: ${percent(today.confidence)} for ${shown(today.value)} now, fading to ${percent(end.confidence)}.`
}
