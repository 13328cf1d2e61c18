import { daysOrOff, type Setting } from './setting-kinds.ts'

/** The settings of the archive, a part of the list in config.ts. */
export const archiveSettings = {
  archiveAfterDays: {
    name: 'PAYIN_ARCHIVE_AFTER_DAYS',
    group: 'Files',
    kind: daysOrOff(90, 36_500),
    default: 'off',
    doc: 'Days after which the history of finished payments moves to compressed files under PAYIN_FILE_STORAGE; at least 90, or off.',
  },
} as const satisfies Record<string, Setting>
