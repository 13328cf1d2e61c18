// What test/tidy.test.ts requires of every package in package-lock.json.

/** An entry of package-lock.json. */
export type LockedPackage = {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly license?: string
  readonly hasInstallScript?: boolean
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Licences of packages that may run with our code. */
const licences = new Set([
  ...['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Unlicense', 'MIT OR Apache-2.0'],
  'BlueOak-1.0.0',
  'MIT-0',
  '(MIT OR CC0-1.0)',
  '(MIT OR EUPL-1.1+)',
])
/** Further licences for tools that are not part of a delivery: those of development, and, optional, of the console's build. */
const toolLicences = new Set(['MPL-2.0', 'Python-2.0', 'PSF-2.0'])

/** Packages whose manifests have the licence in an older form (`licenses`), which the lockfile does not have. */
const olderForm: Readonly<Record<string, string>> = {
  'node_modules/ssh2': 'MIT',
  'node_modules/cpu-features': 'MIT',
  'node_modules/buildcheck': 'MIT',
}

/** Packages that may run a script when they are installed: path in the lockfile → why it is needed. */
const installScripts: Readonly<Record<string, string>> = {
  'node_modules/ssh2': 'builds a faster cryptography than that of Node.js, and is not run',
  'node_modules/cpu-features': 'of ssh2, for the same purpose',
}
const scriptNames = ['preinstall', 'install', 'postinstall']

const registry = 'https://registry.npmjs.org/'

/**
 * Why a package may not be installed: it has no hash of the npm registry, another licence, or an install script. Reads
 * the lockfile, and the manifest if the package is installed.
 */
export const refuseLocked = (
  path: string,
  locked: LockedPackage,
  manifest?: { readonly license?: unknown; readonly scripts?: Readonly<Record<string, string>> },
): string[] => {
  const faults: string[] = []
  // Without an address, npm asks the registry for all versions of the package.
  if (locked.link === true || locked.resolved?.startsWith(registry) !== true)
    faults.push('has no address in the npm registry')
  if (!/^sha512-[\w+/]{86}==$/.test(locked.integrity ?? '')) faults.push('has no integrity hash (sha512)')
  const isTool = locked.dev ?? locked.optional ?? locked.devOptional ?? false
  const isAllowed = (licence: unknown): boolean =>
    typeof licence === 'string' && (licences.has(licence) || (isTool && toolLicences.has(licence)))
  const stated = locked.license ?? olderForm[path]
  const licence = [stated, manifest?.license ?? stated].find((each) => !isAllowed(each))
  if (!isAllowed(stated) || licence !== undefined)
    faults.push(`has a licence that is not allowed: ${JSON.stringify(licence ?? null)}`)
  const runs = locked.hasInstallScript === true || scriptNames.some((name) => manifest?.scripts?.[name] !== undefined)
  if (runs && !(path in installScripts)) faults.push('runs a script when it is installed')
  return faults
}

/**
 * The optional packages, such as binaries for other platforms, that the lockfile lacks: npm may leave them out when it
 * writes one (npm/cli#4828), and the next `npm ci` refuses it.
 */
export const missingOptional = (packages: Readonly<Record<string, LockedPackage>>): string[] => {
  const names = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/'))))
  const optional = Object.values(packages).flatMap((each) => Object.keys(each.optionalDependencies ?? {}))
  return [...new Set(optional)].filter((name) => !names.has(`node_modules/${name}`))
}
