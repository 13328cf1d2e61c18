// What scripts/install.cjs lets npm do, with an npm that notes how it was called.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const script = resolve(import.meta.dirname, '..', '..', 'scripts', 'install.cjs')
const locked = { version: '1.0.0', integrity: 'sha512-a' }

const npm = `
const fs = require('fs')
fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n')
const packages = { 'node_modules/tool': ${JSON.stringify(locked)} }
fs.mkdirSync('node_modules/tool', { recursive: true })
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }))
`

const installIn = (root: string, packages: Record<string, unknown>, own = npm) => {
  mkdirSync(join(root, 'scripts'))
  copyFileSync(script, join(root, 'scripts', 'install.cjs'))
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
  writeFileSync(join(root, 'npm-cli.js'), own)
  return (...args: string[]) =>
    spawnSync(process.execPath, [join(root, 'scripts', 'install.cjs'), ...args], {
      env: { ...process.env, npm_execpath: join(root, 'npm-cli.js'), npm_node_execpath: process.execPath },
      encoding: 'utf8',
    })
}

test('npm installs exactly what the lockfile names, and runs no install script', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'payin-install-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const install = installIn(root, { 'node_modules/tool': locked })
  const { status, stderr } = install()
  assert.equal(status, 0, stderr)
  assert.ok(existsSync(join(root, 'node_modules', 'tool')))
  // No package brings a Node.js here, so that of the machine is used.
  assert.ok(existsSync(join(root, 'node_modules', '.bin', 'node')))
  assert.match(readFileSync(join(root, 'calls'), 'utf8'), /^ci --ignore-scripts .*\n$/)
  assert.equal(install().stderr, '', 'the second time there is nothing to do')
})

test('the tools of development come when they are asked for, and stay', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'payin-install-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const linter = { ...locked, dev: true }
  const packages = { 'node_modules/tool': locked, 'node_modules/linter': linter }
  const record = "fs.writeFileSync('node_modules/.package-lock.json', fs.readFileSync('package-lock.json'))"
  const install = installIn(root, packages, `${npm}if (process.argv.includes('--include=dev')) ${record}`)
  const calls = (): string => readFileSync(join(root, 'calls'), 'utf8')
  assert.equal(install().status, 0)
  assert.match(calls(), /^ci .*--omit=dev.*\n$/)
  assert.equal(install('--dev').stderr, 'Installing dependencies (for development)…\n')
  assert.match(calls(), /\nci .*--include=dev.*\n$/)
  assert.equal(install('--dev').stderr, '')
  assert.equal(install().stderr, '')
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: { ...packages, a: locked } }))
  rmSync(join(root, 'node_modules', '.package-lock.json'))
  install()
  assert.match(calls(), /\nci .*--include=dev.*\n$/)
})

test('what npm start installs is small', () => {
  const root = resolve(import.meta.dirname, '..', '..')
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; link?: true }>
  }
  const paths = Object.entries(packages).flatMap(([path, { dev, link }]) =>
    /(?:^|\/)node_modules\//.test(path) && !dev && !link && existsSync(join(root, path)) ? [path] : [],
  )
  // Each of the packages in another one is in the list, too.
  const args = ['--summarize', '--total', '--block-size=M', '--exclude=node_modules']
  const { stdout } = spawnSync('du', [...args, ...paths], { cwd: root, encoding: 'utf8' })
  const megabytes = Number(/(\d+)M\s+total\n$/.exec(stdout)?.[1])
  assert.ok(megabytes > 0 && megabytes <= 350, `${megabytes} MB`)
})

test('a new package of ours is linked, even if no other package changes', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'payin-install-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const install = installIn(
    root,
    { 'node_modules/tool': locked },
    `${npm}fs.mkdirSync('node_modules/ours', { recursive: true })`,
  )
  install()
  rmSync(join(root, 'node_modules', 'ours'), { recursive: true })
  const ours = { resolved: 'packages/ours', link: true }
  const packages = { 'node_modules/tool': locked, 'node_modules/ours': ours, 'packages/ours': { version: '1.0.0' } }
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
  assert.equal(install().stderr, 'Installing dependencies (package-lock.json changed)…\n')
  assert.ok(existsSync(join(root, 'node_modules', 'ours')))
  assert.equal(install().stderr, '', 'the second time there is nothing to do')
})

test('a first start is prepared, and a failure of that is only reported', (t) => {
  for (const [own, expected] of [
    [`require('fs').writeFileSync('kept', '')`, /^Installing dependencies \(first start\)…\n$/],
    [
      `console.error('no space is left'); process.exit(1)`,
      /\nThe first start will take longer, because it could not be prepared: no space is left\n$/,
    ],
  ] as const) {
    const root = mkdtempSync(join(tmpdir(), 'payin-install-'))
    t.after(() => rmSync(root, { recursive: true, force: true }))
    const install = installIn(root, { 'node_modules/tool': locked })
    writeFileSync(join(root, 'scripts', 'prepare-start.ts'), own)
    const { status, stderr } = install()
    assert.equal(status, 0, stderr)
    assert.match(stderr, expected)
    assert.equal(existsSync(join(root, 'kept')), own.includes('kept'))
    assert.equal(install().stderr, '', 'the second time there is nothing to do')
  }
})

test('the Node.js of a package is linked where npm has left that out', { skip: process.platform === 'win32' }, (t) => {
  const root = mkdtempSync(join(tmpdir(), 'payin-install-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const runtime = `node_modules/node-${process.platform}-${process.arch}`
  const packages = { [runtime]: { ...locked, optional: true } }
  const own = `
    const fs = require('fs')
    fs.mkdirSync('${runtime}/bin', { recursive: true })
    fs.mkdirSync('${runtime}/include/node', { recursive: true })
    fs.writeFileSync('${runtime}/bin/node', 'the package’s')
    fs.writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(JSON.stringify({ packages }))})
  `
  const { status, stderr } = installIn(root, packages, own)()
  assert.equal(status, 0, stderr)
  assert.equal(readFileSync(join(root, 'node_modules', '.bin', 'node'), 'utf8'), 'the package’s')
  assert.ok(!existsSync(join(root, runtime, 'include')), 'the headers take a third')
})

test('an npm that cannot read the lockfile is named as what is wrong', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'payin-install-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const own = `
    console.error('npm ERR! The \`npm ci\` command can only install with an existing package-lock.json or')
    process.exit(1)
  `
  const { status, stderr } = installIn(root, {}, own)()
  assert.equal(status, 1)
  assert.match(stderr, /this npm is too old\. Install a newer one/)
})

test('what builds the console and the documentation must be there, and no other optional package', (t) => {
  for (const [name, expected] of [
    ['node_modules/marked', 1],
    ['node_modules/vite', 1],
    ['node_modules/of-another-platform', 0],
  ] as const) {
    const root = mkdtempSync(join(tmpdir(), 'payin-install-'))
    t.after(() => rmSync(root, { recursive: true, force: true }))
    const { status, stderr } = installIn(root, { 'node_modules/tool': locked, [name]: { ...locked, optional: true } })()
    assert.equal(status, expected, name)
    if (status !== 0) assert.match(stderr, /npm installed other versions than package-lock\.json names/)
  }
})
