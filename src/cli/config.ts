import { effectiveSettings, type EffectiveSetting, judgeSettings } from '../settings/config.ts'
import { readSources } from './service-settings.ts'
import { command, type Group } from './commands.ts'
import { flag } from './inputs.ts'
import { type Printed, printSections } from './print-table.ts'
import { printTables } from './show-rows.ts'
import { fieldsOf } from '../operations/field.ts'
import { Type } from '../operations/schema.ts'

const sourceWords: Readonly<Record<EffectiveSetting['source'], (name: string, file: string) => string>> = {
  default: () => 'default',
  environment: () => 'environment',
  '.env': (_name, file) => file,
  file: (name) => `file (${name}_FILE)`,
  'not set': () => '',
}

const [table] = fieldsOf({
  settings: Type.Rows('', {
    name: Type.String({ heading: 'Setting', kind: 'word' }),
    value: Type.String(),
    from: Type.String({ kind: 'word' }),
  }),
})

const printGroups = (settings: readonly EffectiveSetting[], file: string): Printed => {
  const rows = settings.map((each) => ({ ...each, from: sourceWords[each.source](each.name, file) }))
  const groups = Object.fromEntries(Map.groupBy(rows, ({ group }) => group))
  const tables = Object.keys(groups).flatMap((name) => (table ? [{ ...table, name, heading: name }] : []))
  return printSections(...printTables(tables, groups, false))
}

const listed = (title: string, lines: readonly string[]): string | undefined =>
  lines.length === 0 ? undefined : [title, ...lines.map((line) => `  ${line}`)].join('\n')

export const configCommands: Group = {
  description:
    'The settings that a service started in this folder would use, from the environment, .env (or the file named in PAYIN_CONFIG) and secret files.',
  examples: ['payin config', 'payin config --changed', 'payin config check --production'],
  usual: 'show',
  commands: {
    show: command({
      description: 'Show every setting in force and where it comes from; secrets are not shown.',
      inputs: { changed: flag('--changed', 'only those that differ from the default') },
      run: async (session, { changed }) => {
        const all = effectiveSettings(readSources(session.surroundings))
        const isShown = ({ source }: EffectiveSetting): boolean => source !== 'default' && source !== 'not set'
        session.showValue({ settings: changed ? all.filter(isShown) : all }, ({ settings }) =>
          settings.length === 0
            ? 'All settings have their defaults.'
            : printGroups(settings, session.surroundings.environment['PAYIN_CONFIG']?.trim() || '.env'),
        )
      },
    }),
    check: command({
      description:
        'Check the settings: what is wrong, what production refuses, and what is unwise there, each with its remedy. Exits with 1 if the service would not start.',
      inputs: { asProduction: flag('--production', 'check as if NODE_ENV were production') },
      run: async (session, { asProduction }) => {
        const judged = judgeSettings(readSources(session.surroundings))
        const isRefused = judged.wrong.length > 0 || (asProduction === true && judged.unfit.length > 0)
        session.showValue(judged, ({ wrong, unfit, advice }) =>
          printSections(
            listed('Wrong:', wrong),
            listed('Production refuses:', unfit),
            listed('Allowed, but unwise in production:', advice),
            isRefused
              ? 'The service would not start.'
              : judged.production || unfit.length === 0
                ? 'The service would start.'
                : 'The service would start, but not with NODE_ENV=production.',
          ),
        )
        if (isRefused) session.fail()
      },
    }),
  },
}
