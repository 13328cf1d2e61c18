import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { type EffectiveSetting, effectiveSettings, judgeSettings } from '../config.ts'
import { command, type Group } from './commands.ts'
import { Failure } from './failure.ts'
import { flag } from './inputs.ts'
import { type Printed, printRows, printSections } from './print-table.ts'
import type { Surroundings } from './surroundings.ts'

/** What a start reads: the environment, and the file that PAYIN_CONFIG names, else `.env` in the current folder. */
const sourcesOf = ({ environment, folder }: Surroundings) => {
  const named = environment['PAYIN_CONFIG']?.trim()
  const path = resolve(folder, named || '.env')
  try {
    return { environment, dotEnv: parseEnv(readFileSync(path, 'utf8')) }
  } catch (error) {
    const code = (error as { code?: string }).code ?? 'unreadable'
    if (!named && code === 'ENOENT') return { environment, dotEnv: {} }
    throw new Failure([`${path} cannot be read (${code}).`], 2)
  }
}

const sourceWords: Readonly<Record<EffectiveSetting['source'], (name: string) => string>> = {
  default: () => 'default',
  environment: () => 'environment',
  '.env': () => '.env',
  file: (name) => `file (${name}_FILE)`,
  'not set': () => '',
}

const columns = {
  SETTING: 'name',
  'VALUE~': 'value',
  FROM: ({ name, source }: EffectiveSetting) => sourceWords[source](name),
} as const

const printGroups = (settings: readonly EffectiveSetting[]): Printed =>
  printSections(
    ...[...Map.groupBy(settings, ({ group }) => group)].map(([group, rows]): Printed => {
      const table = printRows(rows, columns)
      return (screen) => `${group}\n${typeof table === 'string' ? table : table(screen)}`
    }),
  )

const listed = (title: string, lines: readonly string[]): string | undefined =>
  lines.length === 0 ? undefined : [title, ...lines.map((line) => `  ${line}`)].join('\n')

/** `payin config`. */
export const configCommands: Group = {
  description:
    'The settings that a service started in this folder would have: from the environment, its .env (or the file of PAYIN_CONFIG) and files.',
  examples: ['payin config', 'payin config --changed', 'payin config check --production'],
  usual: 'show',
  commands: {
    show: command({
      description: 'Show every setting that is in force, and where it comes from; secrets are not shown.',
      inputs: { changed: flag('--changed', 'only those that are not the default') },
      run: async (session, { changed }) => {
        const all = effectiveSettings(sourcesOf(session.surroundings))
        const isShown = ({ source }: EffectiveSetting): boolean => source !== 'default' && source !== 'not set'
        session.showValue({ settings: changed ? all.filter(isShown) : all }, ({ settings }) =>
          settings.length === 0 ? 'All settings are the defaults.' : printGroups(settings),
        )
      },
    }),
    check: command({
      description:
        'Check the settings: what is wrong, what production refuses, and what is not wise there, each with its remedy. Ends with 1 if a start would refuse them.',
      inputs: { asProduction: flag('--production', 'as if NODE_ENV were production') },
      run: async (session, { asProduction }) => {
        const judged = judgeSettings(sourcesOf(session.surroundings))
        const isRefused = judged.wrong.length > 0 || (asProduction === true && judged.unfit.length > 0)
        session.showValue(judged, ({ wrong, unfit, advice }) =>
          printSections(
            listed('Wrong:', wrong),
            listed('Production refuses:', unfit),
            listed('Allowed, but not wise in production:', advice),
            isRefused
              ? 'The service would not start.'
              : judged.production || unfit.length === 0
                ? 'The service would start.'
                : 'The service would start; not with NODE_ENV=production.',
          ),
        )
        if (isRefused) session.fail()
      },
    }),
  },
}
