// Installs the dependencies if they are missing or older than package-lock.json, and prepares the first start. `npm
// start`, `npm test` and bin/payin.cjs call it before anything is installed, so it is plain JavaScript for any Node.js
// from 14 on. Without --dev, it leaves the tools of development out, unless they are there.
'use strict'

const { spawnSync } = require('child_process')
const { createHash } = require('crypto')
const fs = require('fs')
const path = require('path')

const root = path.resolve(__dirname, '..')
const modules = path.join(root, 'node_modules')
const lockFile = path.join(root, 'package-lock.json')
// The hash of the package-lock.json that is installed, and whether with the tools of development.
const hashFile = path.join(modules, '.package-lock-hash')
const nodeBinary = path.join(modules, '.bin', 'node')
// The package with the Node.js of this platform.
const runtime = 'node_modules/node-' + (process.platform === 'win32' ? 'win' : process.platform) + '-' + process.arch
// The optional packages that are needed: it, and those that build the console and the documentation.
const needed = [runtime, 'node_modules/vite', 'node_modules/highlight.js', 'node_modules/marked']
// The first version that runs TypeScript sources.
const oldestNode = 24

// The settings of the outer npm (`npm --prefix … start`, `--omit=dev`) must not affect the inner one, except for those
// of its registry, cache and certificates.
const foreignSettings = [
  'dry_run',
  'global',
  'if_present',
  'include',
  'include_workspace_root',
  'json',
  'local_prefix',
  'location',
  'omit',
  'only',
  'package_lock',
  'package_lock_only',
  'prefix',
  'production',
  'workspace',
  'workspaces',
]

function lockHash() {
  return createHash('sha256').update(fs.readFileSync(lockFile)).digest('hex')
}

function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function lockedPackages() {
  return JSON.parse(fs.readFileSync(lockFile, 'utf8')).packages
}

function installedHash(withTools) {
  return lockHash() + (withTools ? ' dev' : '')
}

/** Whether npm's record of node_modules has every package that is wanted, for example because a user has run npm. */
function npmRecordMatches(withTools) {
  try {
    const wanted = lockedPackages()
    const present = JSON.parse(fs.readFileSync(path.join(modules, '.package-lock.json'), 'utf8')).packages
    return Object.keys(wanted).every(function (name) {
      const want = wanted[name]
      if (name.indexOf('node_modules/') === -1) return true
      if (want.dev && !withTools) return true
      // Our own packages.
      if (want.link) return fs.existsSync(path.join(root, name))
      // Packages for other platforms are optional and stay absent. Some others are optional, too, but must be there.
      const have = present[name]
      if (!have) return want.optional === true && needed.indexOf(name) === -1
      return have.version === want.version && have.integrity === want.integrity
    })
  } catch {
    return false
  }
}

function whyInstall(withTools) {
  if (!fs.existsSync(modules)) return 'first start'
  if (!fs.existsSync(nodeBinary)) return 'the Node.js runtime is missing'
  const hash = installedHash(withTools)
  const installed = readText(hashFile)
  if (installed === hash) return undefined
  if (!npmRecordMatches(withTools)) {
    return installed === installedHash(false) ? 'for development' : 'package-lock.json changed'
  }
  removeUnused()
  fs.writeFileSync(hashFile, hash)
  return undefined
}

function innerEnvironment() {
  const env = {}
  Object.keys(process.env).forEach(function (name) {
    const setting = /^npm_config_(.*)$/i.exec(name)
    const foreign = setting !== null && foreignSettings.indexOf(setting[1].toLowerCase().replace(/-/g, '_')) !== -1
    if (!foreign) env[name] = process.env[name]
  })
  return env
}

/**
 * Runs `npm ci`, which installs exactly what package-lock.json names, and returns its result: the npm that runs us, with
 * its Node.js, or the one in the PATH.
 */
function runNpm(withTools) {
  // The log level makes `npm ci` say why it refuses, even under `npm start --silent`. Packages may not run scripts: a
  // script could download something that no hash in the lockfile covers.
  const args = [
    'ci',
    '--ignore-scripts',
    withTools ? '--include=dev' : '--omit=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=warn',
  ]
  const options = { cwd: root, env: innerEnvironment(), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }
  const npm = process.env.npm_execpath
  if (npm && /npm-cli\.c?js$/.test(npm) && fs.existsSync(npm)) {
    // Not this Node.js, which may be in node_modules: npm deletes that first.
    const node = process.env.npm_node_execpath || process.execPath
    return spawnSync(node, [npm].concat(args), options)
  }
  return spawnSync('npm', args, Object.assign({ shell: process.platform === 'win32' }, options))
}

/** npm 10 does not link the Node.js of the runtime package. */
function linkRuntime() {
  const binary = path.join(root, runtime, 'bin', 'node')
  if (fs.existsSync(nodeBinary) || !fs.existsSync(binary)) return
  fs.mkdirSync(path.dirname(nodeBinary), { recursive: true })
  fs.symlinkSync(path.relative(path.dirname(nodeBinary), binary), nodeBinary)
}

/**
 * What nothing loads: headers to compile extensions of Node.js with, a third of its package, and what packages have for
 * browsers.
 */
const unused = [
  runtime + '/include',
  'node_modules/highlight.js/styles',
  'node_modules/highlight.js/scss',
  'node_modules/libphonenumber-js/bundle',
]

function removeUnused() {
  unused.forEach(function (each) {
    fs.rmSync(path.join(root, each), { recursive: true, force: true })
  })
}

/** If no package has a Node.js for this platform, links the machine's own, if it is new enough. */
function linkOwnNode() {
  if (fs.existsSync(nodeBinary) || lockedPackages()[runtime]) return
  if (Number(process.versions.node.split('.')[0]) < oldestNode) {
    const platform = process.platform + '-' + process.arch
    fail('no Node.js for ' + platform + ' is pinned. Install Node.js ' + oldestNode + ' or newer, and start again.')
  }
  fs.mkdirSync(path.dirname(nodeBinary), { recursive: true })
  fs.symlinkSync(process.execPath, nodeBinary)
}

/** Makes what a first start would make. That can do it itself, so a failure is only reported. */
function prepareStart() {
  const script = path.join(root, 'scripts', 'prepare-start.ts')
  // The image for containers installs the packages before it has the sources.
  if (!fs.existsSync(script)) return
  const cache = process.env.NODE_COMPILE_CACHE || path.join(modules, '.cache', 'compiled')
  const env = Object.assign({}, process.env, { NODE_COMPILE_CACHE: cache })
  const result = spawnSync(nodeBinary, [script], { cwd: root, env, encoding: 'utf8', timeout: 120000 })
  if (result.status === 0) return
  const reason = result.error ? result.error.message : result.signal || result.stderr.trim()
  process.stderr.write('The first start will take longer, because it could not be prepared: ' + reason + '\n')
}

function fail(reason, output) {
  const details = output && output.trim() !== '' ? '\n\n' + output.trim() : ''
  process.stderr.write('Payin could not install its dependencies: ' + reason + details + '\n')
  process.exit(1)
}

function main() {
  if (!fs.existsSync(lockFile)) fail('package-lock.json is missing. Restore it: git checkout package-lock.json')
  const withTools = process.argv.indexOf('--dev') !== -1 || (readText(hashFile) || '').endsWith(' dev')
  const why = whyInstall(withTools)
  if (why === undefined) return
  process.stderr.write('Installing dependencies (' + why + ')…\n')
  const hash = installedHash(withTools)
  const result = runNpm(withTools)
  const output = (result.stdout || '') + (result.stderr || '')
  if (result.error) fail('npm cannot be run: ' + result.error.message, output)
  if (result.signal) fail('npm was stopped by ' + result.signal + '.', output)
  if (result.status !== 0) {
    const offline = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN/.test(output)
    // npm before 10 fails this way, because it cannot read the `overrides` of package.json.
    const isOld = /can only install with an existing package-lock\.json/.test(output)
    if (isOld) fail('this npm is too old. Install a newer one, npm install --global npm@10, and start again.')
    const hint = offline ? ' The npm registry cannot be reached.' : ''
    fail('npm failed with code ' + result.status + '.' + hint + ' Its output:', output)
  }
  linkRuntime()
  removeUnused()
  linkOwnNode()
  if (!fs.existsSync(nodeBinary)) fail('npm did not install ' + path.basename(runtime) + ' (`omit=optional`?).', output)
  if (!npmRecordMatches(withTools)) fail('npm installed other versions than package-lock.json names.', output)
  // Written when all packages are there, so that an interrupted installation starts again.
  fs.writeFileSync(hashFile, hash)
  prepareStart()
}

main()
