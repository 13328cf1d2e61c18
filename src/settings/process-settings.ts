import { listOf, oneOf, onOrOff, type Setting, wholeNumber } from './setting-kinds.ts'

const roles = ['web', 'worker'] as const
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** The settings of the process itself, a part of the list in config.ts. */
export const processSettings = {
  environment: {
    name: 'NODE_ENV',
    group: 'Process',
    kind: oneOf(['development', 'production', 'test']),
    default: 'development',
    doc: 'development, production or test; production insists on https and given secrets, and never seeds a demo.',
  },
  demo: {
    name: 'PAYIN_DEMO',
    group: 'Process',
    kind: onOrOff,
    default: 'on',
    doc: 'Whether a first start seeds the sandbox merchant "Demo Shop", on or off; always off in production.',
  },
  roles: {
    name: 'PAYIN_ROLES',
    group: 'Process',
    kind: listOf(roles),
    default: 'web,worker',
    doc: 'What this process does: web answers requests, worker runs the jobs.',
  },
  drainMs: {
    name: 'PAYIN_DRAIN_MS',
    group: 'Process',
    kind: wholeNumber(0, 15_000),
    default: '500',
    doc: 'Milliseconds for which a process that was asked to stop (SIGTERM) still answers requests while /readyz says 503: as long as load balancers need to notice, such as two of their checks.',
  },
  logLevel: {
    name: 'PAYIN_LOG_LEVEL',
    group: 'Process',
    kind: oneOf(logLevels),
    default: 'info',
    doc: `Least important log lines that are still written: ${logLevels.join(', ')}.`,
  },
} as const satisfies Record<string, Setting>
