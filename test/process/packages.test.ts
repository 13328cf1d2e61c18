// The packages as npm gets them (`npm run pack`) work where nothing else is: in an empty folder, with an empty home.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseYaml } from '@redocly/openapi-core'
import { Payin } from '../../sdk/src/payin-sdk.ts'
import { packAll } from '../../scripts/pack.ts'
import { version } from '../../src/settings/version.ts'
import { csvOf } from '../../packages/bank-files/test/support/made-files.ts'
import { freePort } from '../support/process.ts'

const root = resolve(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'payin-packages-'))
const packages = join(folder, 'packages')
const tarball = (name: string): string => join(packages, `${name}-${version}.tgz`)

/** Building twice and installing from the registry take two minutes, so the workflow of a release asks for it. */
const skip = process.env['TEST_RELEASE'] === undefined ? 'only before a release: TEST_RELEASE=on' : false

/** The oldest Node.js that the packages name. */
const oldestNode = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}@22.18.0`
const megabyte = 1_000_000

type Manifest = {
  readonly name: string
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

/** The environment of somebody who has Node.js and npm, and nothing of ours. */
const environmentOf = (home: string, node = dirname(process.execPath)): Record<string, string> => {
  mkdirSync(home, { recursive: true })
  const kept = ['NODE_EXTRA_CA_CERTS', 'http_proxy', 'https_proxy', 'no_proxy'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { PATH: `${node}${delimiter}${process.env['PATH'] ?? ''}`, HOME: home, ...Object.fromEntries(kept) }
}

const run = (program: string, args: readonly string[], cwd: string, env: Record<string, string>): string => {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  assert.equal(status, 0, error?.message ?? stdout + stderr)
  return stdout
}

const filesOf = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

const sizeOf = (path: string): number => filesOf(path).reduce((sum, file) => sum + statSync(file).blocks * 512, 0)

const listOf = (file: string): string[] =>
  execFileSync('tar', ['--list', '--gzip', '--file', file], { encoding: 'utf8' }).trim().split('\n')

/** An npm registry that has only this version of the service. */
const openRegistry = async (): Promise<{ readonly url: string; close(): void }> => {
  const content = readFileSync(tarball('payin'))
  const manifest = execFileSync('tar', ['-xzOf', tarball('payin'), 'package/package.json'], { encoding: 'utf8' })
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) return response.end(content)
    if (request.url !== '/payin') return response.writeHead(404).end('{}')
    const dist = { tarball: `http://${request.headers.host}/payin.tgz`, integrity }
    const versions = { [version]: { ...(JSON.parse(manifest) as object), dist } }
    return response.end(JSON.stringify({ name: 'payin', 'dist-tags': { latest: version }, versions }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    close: () => server.close(),
  }
}

/** A script that loads every module of the service, with all that they import, and prints which cannot be loaded. */
const loadAll = `import { globSync } from 'node:fs'
const [, , folder] = process.argv
const starts = /^src.(?:main|cli.payin)\\.js$/
for (const path of globSync('src/**/*.js.map', { cwd: folder }).map((map) => map.slice(0, -4)))
  if (!starts.test(path)) await import(folder + '/' + path).catch((error) => console.log(path + ': ' + error.message))
process.exit()
`

/** Starts the service in a folder by a command, has a payment paid, and ends it; returns what it printed. */
const takePayment = async (
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string>,
): Promise<string> => {
  const port = String(await freePort())
  const child = spawn(program, args, { cwd, env: { ...environment, PORT: port }, detached: true })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const ended = once(child, 'close')
  try {
    while (!/token (payin_test_\w+)/.test(printed)) {
      assert.equal(child.exitCode, null, printed)
      await sleep(50)
    }
    const baseUrl = `http://127.0.0.1:${port}`
    const payin = new Payin({ baseUrl, token: /token (payin_test_\w+)/.exec(printed)?.[1] ?? '' })
    const order = { type: 'direct', amount: 1500.01, orderId: 'order-1', currency: 'rub', method: 'sbp' } as const
    const { redirectUrl } = await payin.payments.create(order)
    const { status } = await payin.payments.status('order-1', { wait: 25 })
    assert.equal(status, 'paid')
    for (const path of [new URL(redirectUrl).pathname, '/docs', '/docs/api', '/console/', '/openapi.json'])
      assert.equal((await fetch(baseUrl + path)).status, 200, path)
    return printed
  } finally {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
}

describe('the packages', () => {
  before(() => packAll(packages))
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Why nothing can be installed from the registry of npm; undefined if it can. */
  const withoutRegistry = (): string | undefined => {
    const asked = spawnSync('npm', ['view', oldestNode, 'version', '--fetch-retries=0', '--fetch-timeout=10000'], {
      encoding: 'utf8',
      env: environmentOf(join(folder, 'home')),
    })
    return asked.status === 0 ? undefined : `the npm registry does not answer: ${asked.stderr.trim().split('\n')[0]}`
  }

  test('have no tests, no sources, no secrets, and nothing of this machine', () => {
    const files = readdirSync(packages).filter((name) => name.endsWith('.tgz'))
    assert.deepEqual(files, [
      ...['bank-files', 'bank-messages', 'medusa-payment-payin', 'payin', 'payin-database', 'payin-sdk'].map(
        (name) => `${name}-${version}.tgz`,
      ),
    ])
    for (const name of files) {
      const ours = listOf(join(packages, name)).filter((path) => !path.startsWith('package/node_modules/'))
      const wrong =
        /(?:\.test\.|\/tests?\/|\/corpus\/|(?<!\.d)\.tsx?$|\/deploy\/secrets\/|\/\.env$|\.pem$|\.log$|payin-data\/|\/\.git|\/\.npmrc)/
      assert.deepEqual(
        ours.filter((path) => wrong.test(path)),
        [],
        name,
      )
      const content = execFileSync('tar', ['-xzOf', join(packages, name)], { maxBuffer: 2 ** 30 })
      for (const path of [root, folder]) assert.ok(!content.includes(`${path}/`), `${name} names ${path}`)
    }
    assert.ok(!listOf(tarball('payin')).some((path) => /node_modules\/(?:vite|typescript|rolldown|react)\//.test(path)))
    for (const part of ['console', 'src/cli'])
      assert.ok(listOf(tarball('payin')).includes(`package/${part}/languages/ru.json`), part)
  })

  test('are listed with all that they contain', () => {
    const sbom = JSON.parse(readFileSync(join(packages, `payin-${version}.cdx.json`), 'utf8')) as {
      components: { name: string; version: string; group?: string }[]
    }
    const listed = new Set(
      sbom.components.map(({ group, name, version: of }) => `${group ? `${group}/` : ''}${name}@${of}`),
    )
    const unpacked = join(folder, 'unpacked')
    mkdirSync(unpacked)
    execFileSync('tar', ['-xzf', tarball('payin'), '-C', unpacked])
    const contained = filesOf(join(unpacked, 'package/node_modules')).flatMap((path) => {
      if (!/node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path)) return []
      const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest
      return [`${manifest.name}@${manifest.version}`]
    })
    const console = JSON.parse(readFileSync(join(root, 'console/package.json'), 'utf8')) as Manifest
    const inConsole = Object.entries(console.dependencies).map(([name, of]) => `${name}@${of}`)
    assert.ok(contained.length > 90)
    assert.deepEqual(
      [...contained, ...inConsole].filter((each) => !listed.has(each)),
      [],
    )
    assert.ok(![...listed].some((each) => /^(?:vite|typescript|node-linux)/.test(each)))
  })

  test('are checked and published by the workflow of a release', { skip }, () => {
    const folderOfRelease = join(folder, 'release')
    mkdirSync(folderOfRelease)
    cpSync(join(root, 'package.json'), join(folderOfRelease, 'package.json'))
    symlinkSync(packages, join(folderOfRelease, 'dist'))
    const workflow = parseYaml(readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')) as {
      jobs: { release: { steps: { name?: string; run?: string }[] } }
    }
    const environment = { ...environmentOf(join(folder, 'home')), GITHUB_REF_NAME: `v${version}`, PUBLISH: '--dry-run' }
    const commands = workflow.jobs.release.steps.flatMap(({ run: text }) => (text === undefined ? [] : [text]))
    const [pack, ...later] = commands
    assert.equal(pack, 'npm run pack')
    // The others sign for the forge, and upload to it.
    const ours = later.filter((text) => !/^(?:cosign|gh) /.test(text))
    const printed = ours.map((text) => run('bash', ['-e', '-c', text], folderOfRelease, environment)).join('')
    for (const name of ['payin', 'payin-sdk', 'bank-files'])
      assert.ok(printed.includes(`${name}-${version}.tgz: OK`) && printed.includes(`+ ${name}@${version}`), printed)
  })

  test('are the same when they are made elsewhere', { skip }, async () => {
    const copy = join(folder, 'elsewhere')
    const left = new Set(['node_modules', '.git', 'dist', 'payin-data'])
    cpSync(root, copy, { recursive: true, filter: (path) => !left.has(basename(path)) })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    run(process.execPath, ['scripts/pack.ts'], copy, environmentOf(join(folder, 'other home')))
    const sums = (path: string): string => readFileSync(join(path, 'SHA256SUMS'), 'utf8')
    assert.equal(sums(join(copy, 'dist')), sums(packages))
  })

  test('npx payin serve: small, and takes a payment without any other package', async (t) => {
    assert.ok(statSync(tarball('payin')).size <= 25 * megabyte)
    const home = join(folder, 'newcomer')
    const registry = await openRegistry()
    const environment = { ...environmentOf(home), npm_config_registry: registry.url }
    const startedAt = performance.now()
    const printed = await takePayment('npx', ['--yes', 'payin', 'serve'], home, environment)
    t.diagnostic(`installed, started and paid in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
    registry.close()
    assert.match(printed, /embedded, in \.\/payin-data\n/)
    assert.ok(readdirSync(home).includes('payin-data'))
    const [installed = ''] = readdirSync(join(home, '.npm/_npx'))
    const size = sizeOf(join(home, '.npm/_npx', installed))
    assert.ok(size <= 110 * megabyte, `${size} bytes`)
    const payin = join(home, '.npm/_npx', installed, 'node_modules/.bin/payin')
    assert.equal(run(payin, ['--version'], home, environment), `${version}\n`)
    assert.match(run(payin, ['serve', '--help'], home, environment), /runs the service/)
    writeFileSync(join(home, 'load.mjs'), loadAll)
    assert.equal(
      run(process.execPath, ['load.mjs', dirname(dirname(dirname(realpathSync(payin))))], home, environment),
      '',
    )
  })

  test('payin runs on the oldest Node.js that it names', { skip }, async (t) => {
    const missing = withoutRegistry()
    if (missing !== undefined) return t.skip(missing)
    const home = join(folder, 'oldest')
    const environment = environmentOf(home)
    run('npm', ['install', '--prefer-offline', '--ignore-scripts', oldestNode, tarball('payin')], home, environment)
    const node = join(home, 'node_modules', oldestNode.replace(/@.*/, ''), 'bin/node')
    await takePayment(node, ['node_modules/payin/src/cli/payin.js', 'serve'], home, environment)
    // Also those that these requests have not needed.
    writeFileSync(join(home, 'load.mjs'), loadAll)
    assert.equal(run(node, ['load.mjs', join(home, 'node_modules/payin')], home, environment), '')
  })

  test('the libraries are installed with what they need, and work', { skip }, async (t) => {
    const missing = withoutRegistry()
    if (missing !== undefined) return t.skip(missing)
    const home = join(folder, 'project')
    const environment = environmentOf(home)
    const names = ['bank-files', 'bank-messages', 'payin-database', 'payin-sdk', 'medusa-payment-payin']
    writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
    // Medusa has 670 MB; test/plugins/ tries the provider in it.
    const install = ['install', '--prefer-offline', '--legacy-peer-deps', '--ignore-scripts']
    run('npm', [...install, ...names.map(tarball)], home, environment)
    const medusa = join(home, 'node_modules/@medusajs/framework')
    mkdirSync(medusa, { recursive: true })
    writeFileSync(join(medusa, 'package.json'), '{ "type": "module", "exports": { "./utils": "./utils.js" } }')
    writeFileSync(
      join(medusa, 'utils.js'),
      `export const [Modules, BigNumber, MedusaError] = [{}, Number, Error]
      export const ModuleProvider = (_, { services }) => services
      export class AbstractPaymentProvider {}`,
    )
    const evaluate = (script: string): string => {
      writeFileSync(join(home, 'script.js'), script)
      return run(process.execPath, ['script.js'], home, environment)
    }

    writeFileSync(
      join(home, 'a.csv'),
      csvOf({ account: '40702810900000000001', rows: [{ minor: 5_00n, date: '2026-01-30' }] }),
    )
    const bin = join(home, 'node_modules/.bin')
    const read = run(join(bin, 'bank-files'), ['a.csv', '--json'], home, environment)
    assert.equal(JSON.parse(read).entries[0].amount, 500)
    assert.equal(
      evaluate(`import { readFileSync } from 'node:fs'
        import { readBankFile } from 'bank-files'
        import { formatDecimal } from 'bank-files/pure'
        const { entries } = await readBankFile(readFileSync('a.csv'))
        console.log(formatDecimal(entries[0].amount, 2))`),
      '5.00\n',
    )

    const text = 'Поступление 200р Счет*6826 от ИСМАИЛ Д. Баланс 9.64р 05:14'
    const message = JSON.stringify({ channel: 'sms', sender: 'VTB', text })
    writeFileSync(join(home, 'a.jsonl'), message)
    const said = run(join(bin, 'bank-messages'), ['--json', 'a.jsonl'], home, environment)
    assert.equal(JSON.parse(said).amount, '200.00')
    assert.equal(
      evaluate(`import { readMessage } from 'bank-messages'
        console.log(readMessage(${message}).balance)`),
      '9.64\n',
    )

    assert.equal(
      evaluate(`import { bigint, query } from 'payin-database'
        import { openDatabase } from 'payin-database/open'
        const database = await openDatabase({ dataDir: 'd', poolSize: 1, preparedStatements: true, queryTimeoutMs: 60000 })
        const add = query('add', { parameters: { a: bigint }, row: { sum: bigint }, text: 'select :a + 1::bigint as sum' })
        console.log(String((await database.query(add, { a: 2n }))[0].sum))
        await database.close()`),
      '3\n',
    )
    assert.equal(
      evaluate(`import { Payin } from 'payin-sdk'
        import services from 'medusa-payment-payin'
        console.log(typeof new Payin({ baseUrl: 'http://127.0.0.1', token: 'x' }).payments.create, services[0].identifier)`),
      'function payin\n',
    )
  })
})
