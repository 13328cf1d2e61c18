import { alertChannels } from '../operations/alert-channels.ts'
import { alertRules, alerts } from '../operations/alerts.ts'
import { option, resolvedBy } from './inputs.ts'
import { commandOf, nounCommands } from './noun-commands.ts'
import { nothing, words } from './read-arguments.ts'
import { resolveId } from './resolve-name.ts'

const setRule = commandOf(alertRules.operations.set, {
  inputs: {
    channelIds: resolvedBy(
      option('--channels <channels>', 'ids or names, separated by commas, or all', words),
      async (session, typed) =>
        typed?.[0] === 'all' ? nothing : typed && Promise.all(typed.map((each) => resolveId(session, 'channel', each))),
    ),
  },
})

export const alertCommands = nounCommands(alerts, {
  rules: nounCommands(alertRules, { set: setRule }),
  channels: nounCommands(alertChannels),
})
