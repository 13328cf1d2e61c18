// deploy/observe/: every metric and label that alerts and the dashboard use exists, and every alert has its runbook.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type MetricDescriptor, metricDescriptors } from '../../src/metrics/descriptors.ts'
import { processMetricNames } from '../../scripts/describe-metrics.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'deploy', 'observe')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const descriptors: Readonly<Record<string, MetricDescriptor>> = metricDescriptors
/** Labels that Prometheus adds to every series. */
const ofPrometheus = ['job', 'instance']

/** The labels of a metric by the name that a query has for it; undefined where there is no such metric. */
const labelsOf = (name: string): readonly string[] | undefined => {
  if (name === 'up' || processMetricNames.includes(name)) return ofPrometheus
  const plain = descriptors[name]
  if (plain && plain.type !== 'histogram') return [...plain.labels, ...ofPrometheus]
  const [, base = '', part] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? []
  const histogram = descriptors[base]
  if (histogram?.type !== 'histogram') return undefined
  return [...histogram.labels, ...ofPrometheus, ...(part === 'bucket' ? ['le'] : [])]
}

/** What a PromQL expression names that does not exist: metrics, and labels that none of its metrics has. */
const unknownIn = (expression: string): string[] => {
  const bare = expression.replace(/"[^"]*"/g, '""')
  const metrics = [...bare.matchAll(/\b(up|(?:payin|process|nodejs)_\w+)\b(?:\{([^}]*)\})?/g)]
  if (metrics.length === 0) return [`no metric in ${expression}`]
  const wrong = metrics.flatMap(([, name = '', matchers = '']) => {
    const labels = labelsOf(name)
    if (!labels) return [name]
    const used = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label)
    return used.filter((label) => !labels.includes(label)).map((label) => `${name}{${label}}`)
  })
  const known = new Set(metrics.flatMap(([, name = '']) => labelsOf(name) ?? []))
  const grouped = [...bare.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  )
  return [...wrong, ...grouped.filter((label) => !known.has(label)).map((label) => `by (${label})`)]
}

type Alert = { readonly name: string; readonly expression: string; readonly text: string }

const alerts: readonly Alert[] = read('deploy/observe/alerts.yaml')
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => {
    const [name = ''] = text.split('\n')
    const [, inline = '', block = ''] = /\n {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/.exec(text) ?? []
    return { name, text, expression: inline || block }
  })

type Panel = {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly datasource?: { readonly uid: string }
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[]
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } }
}

const dashboard = JSON.parse(read('deploy/observe/dashboard.json')) as {
  readonly title: string
  readonly uid: string
  readonly schemaVersion: number
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] }
  readonly panels: readonly Panel[]
}
const charts = dashboard.panels.filter(({ type }) => type !== 'row')

describe('alerts', () => {
  test('every metric and label in them exists', () => {
    assert.ok(alerts.length > 20)
    assert.deepEqual(
      alerts.flatMap(({ name, expression }) => unknownIn(expression).map((each) => `${name}: ${each}`)),
      [],
    )
  })

  test('each has a severity, a summary with labels that it keeps, and a runbook that says what to do', () => {
    const runbooks = read('docs/operate/alerts.md')
    for (const { name, text, expression } of alerts) {
      assert.match(text, /labels: \{ severity: (?:page|ticket) \}/, name)
      assert.ok(text.includes(`runbook: docs/operate/alerts.md#${name.toLowerCase()}\n`), name)
      for (const [, label = ''] of text.matchAll(/\$labels\.(\w+)/g)) assert.ok(expression.includes(label), name)
      const start = runbooks.indexOf(`\n## ${name}\n`)
      assert.ok(start >= 0, `no runbook of ${name}`)
      const [section = ''] = runbooks.slice(start + 5).split('\n## ')
      // What is at stake, then what to do.
      assert.match(section, /^\w+\n\n[`A-Z]/, name)
      for (const part of ['Look', 'Do']) assert.ok(section.includes(`- **${part}:**`), `${name}: ${part}`)
    }
    const described = [...runbooks.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name)
    assert.deepEqual(described.toSorted(), alerts.map(({ name }) => name).toSorted())
  })

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0
  const skip = hasPromtool ? false : 'promtool is not installed (Debian: prometheus)'
  test('promtool finds them right, and they fire when they should', { skip }, () => {
    execFileSync('promtool', ['check', 'rules', join(folder, 'alerts.yaml')], { stdio: 'pipe' })
    execFileSync('promtool', ['test', 'rules', join(folder, 'alerts.test.yaml')], { stdio: 'pipe' })
  })
})

describe('the dashboard', () => {
  test('every metric and label in it exists', () => {
    const targets = charts.flatMap(({ title, targets: each = [] }) => each.map((target) => ({ title, ...target })))
    assert.ok(targets.length > 25)
    const wrong = targets.flatMap(({ title, expr, legendFormat }) => {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
      const named = [...expr.matchAll(/\b(?:up|(?:payin|process|nodejs)_\w+)/g)].map(([name]) => name)
      const known = new Set(named.flatMap((name) => labelsOf(name) ?? []))
      return [...unknownIn(expr), ...shown.filter((label) => !known.has(label))].map((each) => `${title}: ${each}`)
    })
    assert.deepEqual(wrong, [])
  })

  test('it is one that Grafana reads: ids once, panels of known types that do not overlap, one source of data', () => {
    assert.deepEqual([dashboard.uid, dashboard.title], ['payin', 'Payin'])
    assert.ok(dashboard.schemaVersion >= 36)
    assert.deepEqual(
      dashboard.templating.list.map(({ name, type }) => [name, type]),
      [['datasource', 'datasource']],
    )
    const { panels } = dashboard
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    for (const { title, type, gridPos, datasource, targets, fieldConfig } of panels) {
      assert.ok(['row', 'stat', 'timeseries'].includes(type), title)
      assert.ok(gridPos.x >= 0 && gridPos.w > 0 && gridPos.x + gridPos.w <= 24, title)
      if (type === 'row') continue
      assert.equal(datasource?.uid, '${datasource}', title)
      assert.ok(fieldConfig?.defaults.unit, title)
      const refs = (targets ?? []).map(({ refId }) => refId)
      assert.deepEqual([refs.length > 0, new Set(refs).size], [true, refs.length], title)
    }
    const overlaps = panels.filter((a, index) =>
      panels.slice(index + 1).some((b) => {
        const [p, q] = [a.gridPos, b.gridPos]
        return p.x < q.x + q.w && q.x < p.x + p.w && p.y < q.y + q.h && q.y < p.y + p.h
      }),
    )
    assert.deepEqual(
      overlaps.map(({ title }) => title),
      [],
    )
  })
})

test('the check itself finds metrics, labels and groups that do not exist', () => {
  assert.deepEqual(unknownIn('sum by (kind) (payin_waiting_items{kind="transfers"})'), [])
  assert.deepEqual(unknownIn('payin_waiting_item'), ['payin_waiting_item'])
  assert.deepEqual(unknownIn('payin_waiting_items{kid=~"x"}'), ['payin_waiting_items{kid}'])
  assert.deepEqual(unknownIn('sum by (queue) (payin_waiting_items)'), ['by (queue)'])
  assert.deepEqual(unknownIn('payin_batch_calls'), ['payin_batch_calls'])
  assert.deepEqual(unknownIn('vector(1)'), ['no metric in vector(1)'])
})
