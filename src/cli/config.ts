import { judgeSettings } from '../settings/config.ts'
import { serviceVariables } from './service-settings.ts'
import { command, group } from './commands.ts'
import { say } from './say.ts'
import { flag } from './inputs.ts'
import { printSections } from './print-table.ts'

const listed = (title: string, lines: readonly string[]): string | undefined =>
  lines.length === 0 ? undefined : [title, ...lines.map((line) => `  ${line}`)].join('\n')

export const configCommands = group({
  description:
    'The settings that a service started in this folder would use, from the environment, .env (or the file named in PAYIN_CONFIG) and secret files.',
  examples: ['payin config check', 'payin config check --production'],
  usual: 'check',
  commands: {
    check: command({
      description:
        'Check the settings: what is wrong, what production refuses, and what is unwise there, each with its remedy. Exits with 1 if the service would not start.',
      inputs: { asProduction: flag('--production', 'check as if NODE_ENV were production') },
      run: async (session, { asProduction }) => {
        const judged = judgeSettings(serviceVariables(session.surroundings), session.isJson ? undefined : say)
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
})
