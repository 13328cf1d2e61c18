import { hostName, longToken, portOrOff, type Setting } from './setting-kinds.ts'

/** The settings of what others observe the service by, a part of the list in config.ts. */
export const observationSettings = {
  metricsPort: {
    name: 'PAYIN_METRICS_PORT',
    group: 'Observation',
    kind: portOrOff,
    default: 'off',
    doc: 'TCP port of its own for /metrics (Prometheus), /healthz and /readyz, also of a process that only runs jobs; 0 takes any free one, off does without.',
  },
  metricsHost: {
    name: 'PAYIN_METRICS_HOST',
    group: 'Observation',
    kind: hostName,
    default: '127.0.0.1',
    doc: 'Address that PAYIN_METRICS_PORT listens on; the values show how much business there is, so it should not be reached from outside.',
  },
  metricsToken: {
    name: 'PAYIN_METRICS_TOKEN',
    group: 'Observation',
    kind: longToken,
    secret: true,
    fix: 'make one with: openssl rand -hex 32',
    doc: 'Token that /metrics asks for, 32 to 256 characters; with it, /metrics is also served on PORT.',
  },
} as const satisfies Record<string, Setting>
