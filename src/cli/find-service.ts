import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { parseEnv } from 'node:util'
import { cliSettings } from '../settings/config.ts'
import { databaseSettings } from '../settings/database-settings.ts'
import { isLoopback } from '../rules/notices/endpoint.ts'
import { Failure } from './failure.ts'
import type { Surroundings } from './surroundings.ts'

type Environment = Surroundings['environment']

/** Variables that say how to reach a service, and the folder to which their relative paths refer. */
type Found = {
  readonly variables: Environment
  readonly folder: string
  /** The `.env` found upwards, which anybody may have written; undefined if the operator named the file. */
  readonly met?: string
}

/** Variables with the same meaning: if the environment sets one, those of the file are ignored. */
const alternatives = {
  address: ['PORT', 'PAYIN_URL'],
  token: ['PAYIN_OPERATOR_TOKEN', 'PAYIN_OPERATOR_TOKEN_FILE', 'PAYIN_DATA_DIR'],
  merchantToken: ['PAYIN_TOKEN', 'PAYIN_TOKEN_FILE'],
} as const

export type Side = 'operator' | 'merchant'

/** Tokens of merchants can be recognised by their prefix. */
const isOfMerchant = (token: string): boolean => /^payin_(?:live|test)_/.test(token)

const usualDataDir = databaseSettings.dataDir.default

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The variables of a file if any is Payin's: other programs have a `.env`, too. */
const readVariables = (path: string): Environment | undefined => {
  const variables = parseEnv(readIfThere(path) ?? '')
  return Object.keys(variables).some((name) => name.startsWith('PAYIN_')) ? variables : undefined
}

/** Whether a file in a folder where everybody may write, such as `/tmp`, belongs to another user. */
const isOfStranger = (path: string): boolean => {
  try {
    const everybodyMayWrite = (statSync(dirname(path)).mode & 0o002) !== 0
    return everybodyMayWrite && process.getuid !== undefined && statSync(path).uid !== process.getuid()
  } catch {
    return false
  }
}

const foldersUp = (folder: string): string[] => {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersUp(above)]
}

const configPath = ({ environment }: Surroundings): string | undefined => {
  const { PAYIN_CONFIG, XDG_CONFIG_HOME, HOME, USERPROFILE } = environment
  if (PAYIN_CONFIG) return PAYIN_CONFIG
  const home = HOME ?? USERPROFILE
  const folder = XDG_CONFIG_HOME || (home && join(home, '.config'))
  return folder ? join(folder, 'payin', 'config') : undefined
}

/**
 * The variables of the nearest folder of a Payin at or above this one, else of the operator's configuration file;
 * undefined if there is neither.
 */
const findVariables = (surroundings: Surroundings): Found | undefined => {
  const named = surroundings.environment['PAYIN_CONFIG']
  const folders = named ? [] : foldersUp(resolve(surroundings.folder))
  for (const folder of folders) {
    const met = join(folder, '.env')
    const variables = isOfStranger(met) ? undefined : readVariables(met)
    if (variables) return { variables, folder, met }
    const data = join(folder, usualDataDir)
    if (!isOfStranger(data) && readToken(data) !== undefined) return { variables: {}, folder }
  }
  const path = configPath(surroundings)
  const variables = path === undefined ? undefined : readVariables(resolve(surroundings.folder, path))
  return path === undefined || !variables
    ? undefined
    : { variables, folder: dirname(resolve(surroundings.folder, path)) }
}

/** The operator token that a service has created in its data directory. */
const readToken = (dataDir: string): string | undefined => {
  try {
    const content = JSON.parse(readIfThere(join(dataDir, 'secrets.json')) ?? '') as { operatorToken?: unknown } | null
    return typeof content?.operatorToken === 'string' ? content.operatorToken : undefined
  } catch {
    return undefined
  }
}

const merge = (environment: Environment, { variables, folder }: Found): Environment => {
  const sameMeaning: readonly (readonly string[])[] = Object.values(alternatives)
  const kept = Object.entries(variables).filter(
    ([name]) => !(sameMeaning.find((names) => names.includes(name)) ?? [name]).some((each) => environment[each]),
  )
  const absolute = kept.map(([name, value]) =>
    /_FILE$|_DIR$/.test(name) && value ? [name, resolve(folder, value)] : [name, value],
  )
  return { ...(Object.fromEntries(absolute) as Environment), ...environment }
}

const noToken = (surroundings: Surroundings, side: Side, dataDir: string | undefined): Failure => {
  const { folder, installation } = surroundings
  const [name, near, remedy] =
    side === 'merchant'
      ? [
          'PAYIN_TOKEN',
          `.env in ${folder} and the folders above`,
          'npm start prints one for the sandbox; operators issue others: payin tokens issue <merchant> --name "shop server"',
        ]
      : [
          'PAYIN_OPERATOR_TOKEN',
          dataDir === undefined
            ? `.env and ${join(usualDataDir, 'secrets.json')} in ${folder} and the folders above; for this machine, in ${installation}`
            : join(dataDir, 'secrets.json'),
          'Give --token, run payin in the folder of the service, or set PORT and PAYIN_DATA_DIR as for the service.',
        ]
  const looked = [`--token, ${name} and ${name}_FILE`, near, configPath(surroundings) ?? 'PAYIN_CONFIG']
  return new Failure([`No ${side} token. Looked in:`, ...looked.map((each) => `  ${each}`), remedy], 2)
}

/** Whether a file is in a folder, with symbolic links resolved. */
const isInside = (path: string, folder: string): boolean => {
  try {
    return realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`)
  } catch {
    return false
  }
}

/** Whether the token comes from the same folder as the address, so that it is not meant for another service. */
const isTokenOf = ({ variables, folder }: Found, { environment }: Surroundings, side: Side): boolean => {
  if (side === 'merchant') {
    if (alternatives.merchantToken.some((name) => environment[name])) return false
    const { PAYIN_TOKEN: token, PAYIN_TOKEN_FILE: file } = variables
    return Boolean(token) || (Boolean(file) && isInside(resolve(folder, file ?? ''), folder))
  }
  if (alternatives.token.some((name) => environment[name])) return false
  const { PAYIN_OPERATOR_TOKEN: token, PAYIN_OPERATOR_TOKEN_FILE: file, PAYIN_DATA_DIR: dataDir } = variables
  return Boolean(token) || isInside(resolve(folder, file || join(dataDir || usualDataDir, 'secrets.json')), folder)
}

/** Refuses to send the user's token to an address that only a file found upwards names, such as one of a download. */
const refuseForeignAddress = (
  surroundings: Surroundings,
  found: Found,
  url: string,
  isTokenGiven: boolean,
  side: Side,
): void => {
  const { environment } = surroundings
  if (found.met === undefined || alternatives.address.some((name) => environment[name])) return
  if (isLoopback(new URL(url).hostname) || (!isTokenGiven && isTokenOf(found, surroundings, side))) return
  throw new Failure(
    [`${found.met} names ${url}, but the token is not from that folder. If this is right, give --url.`],
    2,
  )
}

type GivenService = { readonly url?: string; readonly token?: string }

/** The address of the service, and the tokens that the environment and what was found contain. */
const readFound = (surroundings: Surroundings, given: GivenService, found: Found) => {
  const environment = merge(surroundings.environment, found)
  const parsed = cliSettings(environment)
  if (!parsed.ok) throw new Failure(parsed.errors, 2)
  const { serviceUrl, operatorToken, merchantToken, webhookSecret } = parsed.settings
  const dataDir = environment['PAYIN_DATA_DIR']?.trim() || undefined
  const url = given.url ?? serviceUrl
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Failure([`--url ${url} is not an http(s) address, such as http://127.0.0.1:8080.`], 2)
  }
  const ownToken = (): string | undefined =>
    operatorToken ?? readToken(dataDir ? resolve(surroundings.folder, dataDir) : join(found.folder, usualDataDir))
  return { found, dataDir, url, ownToken, merchantToken, webhookSecret }
}

/** The same; if nothing was found, an address of this machine is that of the installation of this `payin`. */
const lookAround = (surroundings: Surroundings, given: GivenService) => {
  const { folder, installation, environment } = surroundings
  const found = findVariables(surroundings)
  const near = readFound(surroundings, given, found ?? { variables: {}, folder })
  const isHere = ({ url }: typeof near): boolean => isLoopback(new URL(url).hostname)
  if (found || environment['PAYIN_CONFIG'] || !isHere(near)) return near
  const variables = parseEnv(readIfThere(join(installation, '.env')) ?? '')
  const own = readFound(surroundings, given, { variables, folder: installation })
  return isHere(own) ? own : near
}

/** Whose token a command uses that both sides have: that of `--token`, else an operator's if there is one. */
export const findSide = (surroundings: Surroundings, given: GivenService): Side => {
  if (given.token !== undefined) return isOfMerchant(given.token) ? 'merchant' : 'operator'
  const { ownToken, merchantToken } = lookAround(surroundings, given)
  return merchantToken !== undefined && ownToken() === undefined ? 'merchant' : 'operator'
}

/** The address of the service and a token for this side: as given, else from environment, folders or file. */
export const findService = (
  surroundings: Surroundings,
  given: GivenService,
  side: Side,
): { readonly url: string; readonly token: string; readonly webhookSecret: string | undefined } => {
  const { found, dataDir, url, ownToken, merchantToken, webhookSecret } = lookAround(surroundings, given)
  if (given.url === undefined) refuseForeignAddress(surroundings, found, url, given.token !== undefined, side)
  const token = given.token ?? (side === 'merchant' ? merchantToken : ownToken())
  if (token === undefined) throw noToken(surroundings, side, dataDir)
  if (side === 'operator' && isOfMerchant(token)) {
    throw new Failure(["This command is for operators, and the token is a merchant's: give another --token."], 2)
  }
  if (side === 'merchant' && !isOfMerchant(token)) {
    throw new Failure(
      [
        'This command is for merchants: give a merchant token, payin_test_… or payin_live_…, with --token or PAYIN_TOKEN.',
      ],
      2,
    )
  }
  return { url: url.replace(/(?<!\/)\/+$/, ''), token, webhookSecret }
}
