import { anyText, type Setting, webAddress } from './setting-kinds.ts'

/** The settings of the command payin, a part of the list in config.ts. */
export const commandLineSettings = {
  serviceUrl: {
    name: 'PAYIN_URL',
    group: 'Command line',
    kind: webAddress,
    default: 'http://{HOST}:{PORT}',
    doc: 'Address of the running service that the command payin talks to; the service itself does not read it.',
  },
  merchantToken: {
    name: 'PAYIN_TOKEN',
    group: 'Command line',
    kind: anyText,
    secret: true,
    doc: "A merchant's access token, with which the command payin does what is for merchants, such as payin payments create; the service itself does not read it.",
  },
  webhookSecret: {
    name: 'PAYIN_SECRET',
    group: 'Command line',
    kind: anyText,
    secret: true,
    doc: "The secret with which a merchant's server verifies notifications, whsec_…; payin listen and payin check-integration sign with it, the service itself does not read it.",
  },
  configFile: {
    name: 'PAYIN_CONFIG',
    group: 'Command line',
    kind: anyText,
    default: '',
    doc: 'File in the form of this one from which the command payin takes address and token, and payin config, export, import and tenants the settings; unset: the .env or data directory of the nearest folder, else ~/.config/payin/config.',
  },
} as const satisfies Record<string, Setting>
