// deploy/ and the guides about it: settings, versions, ports and paths in them are real, and the programs they are for take them.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { parseEnv } from 'node:util'
import { parseYaml } from '@redocly/openapi-core'
import { maskedSettings, parseSettings } from '../../src/settings/config.ts'
import { exitCodes } from '../../src/process/start-failure.ts'
import { version } from '../../src/settings/version.ts'

const root = resolve(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const files = globSync(['deploy/**', 'docs/operate/*.md'], { cwd: root, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))

const manifest = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> }
const defaults = parseSettings({})
assert.ok(defaults.ok)
const settingNames = Object.keys(maskedSettings(defaults.settings))
const secretNames = [...read('.env.example').matchAll(/may also come from (\w+)\./g)].map(([, name = '']) => name)
const known = new Set([...settingNames, ...secretNames])

// oxlint-disable-next-line typescript/no-explicit-any -- tests read documents freely; a wrong name fails an assertion
type Document = any

const documentsOf = (path: string): Document[] =>
  read(path)
    .split(/^---$/m)
    .map((text) => parseYaml(text))

const has = (program: string, flag = '--version'): string | false =>
  spawnSync(program, [flag]).status === 0 ? false : `${program} is not installed`

test('every setting that deploy/ and docs/operate/ name exists', () => {
  assert.ok(files.length > 15)
  const own = /\b(?:PAYIN_[A-Z0-9_]*[A-Z0-9]|DATABASE_(?:LISTEN_)?URL(?:_FILE)?|PUBLIC_URL(?:_FILE)?)\b/g
  // `${…}` in the configuration of another program is a variable of that program, also where a guide sets it.
  const foreign = new Set(files.flatMap((path) => [...read(path).matchAll(/"\$\{(\w+)\}"/g)].map(([, name]) => name)))
  const wrong = files.flatMap((path) =>
    [...read(path).matchAll(own)]
      .filter(([name]) => !known.has(name) && !foreign.has(name))
      .map(([name]) => `${path}: ${name}`),
  )
  assert.deepEqual(wrong, [])
})

test('a start by systemd is waited for at the address that the metrics are on', async () => {
  const server = createServer((_request, response) => response.end('ready')).listen(0, '127.0.0.2')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const waiting = spawn(process.execPath, ['deploy/systemd/await-ready.mjs'], {
      cwd: root,
      env: { PAYIN_METRICS_HOST: '127.0.0.2', PAYIN_METRICS_PORT: String(port), MAINPID: String(process.pid) },
      timeout: 60_000,
    })
    assert.deepEqual(await once(waiting, 'exit'), [0, null])
  } finally {
    server.close()
  }
})

test('systemd does not repeat a start that fails until somebody changes a setting', () => {
  const unit = read('deploy/systemd/payin.service')
  assert.match(unit, new RegExp(`^RestartPreventExitStatus=${exitCodes.misconfigured}$`, 'm'))
})

describe('secrets made by deploy/make-secrets.sh', { skip: has('openssl', 'version') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'payin-secrets-'))
  const made = join(folder, 'secrets')
  const make = () => spawnSync(join(root, 'deploy/make-secrets.sh'), [made, 'db.example:5432'], { encoding: 'utf8' })

  test('are accepted in production together with the example for systemd, and are never overwritten', (t) => {
    t.after(() => rmSync(folder, { recursive: true }))
    assert.equal(make().status, 0)
    assert.equal(statSync(made).mode & 0o777, 0o700)
    const example = read('deploy/systemd/payin.env.example').replaceAll('/etc/payin/secrets', made)
    const parsed = parseSettings(parseEnv(example))
    assert.deepEqual(parsed.ok ? [] : parsed.errors, [])
    assert.ok(parsed.ok && parsed.settings.production)
    const password = readFileSync(join(made, 'database-password'), 'utf8').trim()
    assert.equal(parsed.settings.databaseUrl, `postgres://payin:${password}@db.example:5432/payin`)
    assert.notEqual(make().status, 0)
    assert.equal(readFileSync(join(made, 'database-password'), 'utf8').trim(), password)
  })
})

describe('the image', () => {
  const text = read('deploy/Dockerfile')

  test('has the Node.js of package.json, and is called by the version', () => {
    const wanted = new Set(Object.values(manifest.optionalDependencies))
    assert.deepEqual(new Set([...text.matchAll(/FROM node:([\d.]+)/g)].map(([, found]) => found)), wanted)
    assert.ok(text.includes(`--tag payin:${version} `))
    assert.equal(documentsOf('deploy/compose.yaml')[0]['x-payin'].image, `payin:${version}`)
    assert.equal(documentsOf('deploy/kubernetes/kustomization.yaml')[0].images[0].newTag, version)
  })

  test('copies only what is there, and .dockerignore lets it through', () => {
    const [, moved = ''] = /mv (bin .*) \/out\/ \\/.exec(text) ?? []
    const allowed = read('.dockerignore').split('\n')
    for (const path of moved.split(' ')) {
      assert.ok(statSync(join(root, path)), path)
      assert.ok(path === 'node_modules' || allowed.some((line) => line.startsWith(`!${path}`)), path)
    }
    assert.ok(!allowed.some((line) => /^!(?:\.env|deploy|data)/.test(line)))
  })

  test('starts without a shell as another user, and is checked at its port of metrics', () => {
    assert.match(text, /^USER 10001:10001$/m)
    assert.match(text, /^CMD \["node", "src\/main\.ts"\]$/m)
    assert.match(text, /CMD \["node", "-e", ".*PAYIN_METRICS_PORT\}\/healthz/)
    const [, variables = ''] = /^ENV (PATH=[^]*?)\nWORKDIR/m.exec(text) ?? []
    const own = parseEnv(variables.replaceAll(/ \\\n\s*/g, '\n'))
    const secrets = {
      PAYIN_ENCRYPTION_KEYS: 'k1:6Zu3hnXk1Yy0wq4mEoVJrC9bTLsFz8vNdGaQpUiRtM8=',
      PAYIN_OPERATOR_TOKEN: '9f2c41d7be05a8631ce7f40b92d65a38',
    }
    const parsed = parseSettings({ ...own, ...secrets, PUBLIC_URL: 'https://pay.example.com' })
    assert.deepEqual(parsed.ok ? [] : parsed.errors, [])
  })
})

describe('compose.yaml', () => {
  const [{ services, secrets, networks, 'x-environment': environment }] = documentsOf('deploy/compose.yaml')

  test('has web and worker with settings that production accepts, on files that make-secrets.sh writes', () => {
    assert.deepEqual(Object.keys(services), ['web', 'worker', 'database'])
    const script = read('deploy/make-secrets.sh')
    for (const name of Object.keys(secrets)) assert.ok(script.includes(`>${name}\n`), name)
    const used = [...Object.values(environment), services.database.environment.POSTGRES_PASSWORD_FILE] as string[]
    for (const path of used.filter((each) => each.startsWith('/run/secrets/')))
      assert.ok(Object.hasOwn(secrets, path.slice('/run/secrets/'.length)), path)
    assert.deepEqual([services.web.environment.PAYIN_ROLES, services.worker.environment.PAYIN_ROLES], ['web', 'worker'])
    assert.equal(networks.default.ipam.config[0].gateway, services.web.environment.PAYIN_TRUST_PROXY)
    assert.deepEqual(services.web.ports, ['127.0.0.1:8080:8080'])
  })

  test('gives a process that stops longer than it takes', () => {
    const [{ 'x-payin': shared }] = documentsOf('deploy/compose.yaml')
    assert.equal(shared.stop_grace_period, '30s')
    assert.deepEqual([shared.read_only, shared.cap_drop], [true, ['ALL']])
  })
})

describe('kubernetes', () => {
  const rendered = has('kubectl', 'help')
  const deployments = ['web', 'worker'].map((name) => documentsOf(`deploy/kubernetes/${name}.yaml`)[0])

  test('probes paths that exist, at ports that the image has', () => {
    for (const { spec } of deployments) {
      const [container] = spec.template.spec.containers
      const ports = new Map(container.ports.map(({ name, containerPort }: Document) => [name, containerPort]))
      assert.equal(ports.get('metrics'), 9464)
      assert.ok(read('deploy/Dockerfile').includes('EXPOSE 8080 9464'))
      for (const [probe, path] of Object.entries({ startup: '/healthz', liveness: '/healthz', readiness: '/readyz' }))
        assert.deepEqual(container[`${probe}Probe`].httpGet, { path, port: 'metrics' })
    }
  })

  test('pods end later than Payin stops, run as nobody, write nowhere else, and get the secrets as files', () => {
    for (const { spec } of deployments) {
      const { initContainers, containers, securityContext, terminationGracePeriodSeconds } = spec.template.spec
      assert.equal(terminationGracePeriodSeconds, 30)
      assert.deepEqual([securityContext.runAsNonRoot, securityContext.runAsUser], [true, 10001])
      for (const each of [...initContainers, ...containers]) {
        assert.equal(each.securityContext.readOnlyRootFilesystem, true)
        assert.deepEqual(each.volumeMounts.map(({ mountPath }: Document) => mountPath).toSorted(), [
          '/run/secrets/payin',
          '/tmp',
          '/var/lib/payin',
        ])
      }
    }
    const [{ configMapGenerator }] = documentsOf('deploy/kubernetes/kustomization.yaml')
    const settings = parseEnv(configMapGenerator[0].literals.join('\n'))
    assert.deepEqual(
      Object.entries(settings).filter(
        ([name, value]) => name.endsWith('_FILE') && !value?.startsWith('/run/secrets/payin/'),
      ),
      [],
    )
  })

  test('kubectl renders it; policies and budgets select the pods', { skip: rendered }, () => {
    const text = execFileSync('kubectl', ['kustomize', join(root, 'deploy/kubernetes')], { encoding: 'utf8' })
    const all: Document[] = text.split(/^---$/m).map((each) => parseYaml(each))
    const labels = all.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.metadata.labels)
    assert.equal(labels.length, 2)
    for (const { kind, metadata, spec } of all) {
      const selector = spec?.podSelector?.matchLabels ?? spec?.selector?.matchLabels ?? spec?.selector
      if (selector === undefined) continue
      const selected = labels.filter((each) => Object.entries(selector).every(([name, value]) => each[name] === value))
      assert.equal(selected.length, kind === 'NetworkPolicy' ? 2 : 1, `${kind} ${metadata.name}`)
    }
  })
})

describe('systemd', () => {
  const unit = read('deploy/systemd/payin.service')

  test('waits longer than Payin takes to stop, and starts what is there', () => {
    assert.match(unit, /^TimeoutStopSec=30$/m)
    assert.match(unit, /^ExecStart=\/usr\/local\/bin\/payin serve$/m)
    const [, path = ''] = /^ExecStartPost=\/usr\/bin\/env node (\S+)$/m.exec(unit) ?? []
    assert.ok(statSync(join(root, path)), path)
  })

  test('takes the unit, and finds it well protected', { skip: has('systemd-analyze') }, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'payin-unit-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'payin.service')
    writeFileSync(file, unit.replace('/usr/local/bin/payin', process.execPath))
    const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    assert.deepEqual([verified.status, verified.stderr], [0, ''])
    const judged = spawnSync('systemd-analyze', ['security', '--offline=yes', file], { encoding: 'utf8' })
    const [, exposure = '10'] = /exposure level for payin\.service: ([\d.]+)/.exec(judged.stdout) ?? []
    assert.ok(Number(exposure) < 2, judged.stdout + judged.stderr)
  })
})
