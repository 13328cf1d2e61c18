import type { ArchivedPaymentAnswer, ArchiveFileAnswer, ArchiveStatus } from '../http/operator-api/archive.ts'
import { command, type Group, list, request } from './commands.ts'
import { option, page } from './inputs.ts'
import { paymentKey } from './named-inputs.ts'
import { type Printed, printFields, printRows, printSections, printTime } from './print-table.ts'
import type { Session } from './session.ts'

const describeStatus = (status: ArchiveStatus): Printed => {
  const { afterDays, files, payments, events, notifications, bytes, doneUntil, verifiedUntil, lastCreatedAt, lagging } =
    status
  return printSections(
    printFields({
      Archives:
        afterDays === undefined ? 'nothing: PAYIN_ARCHIVE_AFTER_DAYS is off' : `what finished ${afterDays} days ago`,
      'Done until': printTime(doneUntil),
      'Verified until': printTime(verifiedUntil),
      Files: String(files),
      Size: bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`,
      Payments: String(payments),
      Events: String(events),
      Notifications: String(notifications),
      'Newest payment': printTime(lastCreatedAt),
    }),
    afterDays !== undefined && verifiedUntil === undefined
      ? 'It waits until the doctor has found everything in order: payin doctor'
      : undefined,
    lagging ? "It lags by more than two days: look for archive-history in the workers' log." : undefined,
  )
}

type Verification = { readonly number: number; readonly files: number; readonly problem?: string }

const verifyAll = async (session: Session): Promise<{ files: number; problems: Verification[] }> => {
  const { files } = (await session.call<ArchiveStatus>('GET /archive')).body
  const problems: Verification[] = []
  for (let number = 1; number <= files; number++) {
    const { body } = await session.call<Verification>(
      'GET /archive/files/{number}/verification',
      { number },
      { patient: true },
    )
    if (body.problem !== undefined) problems.push(body)
    if (number % 100 === 0 && !session.isJson) session.surroundings.errors.write(`${number} of ${files} files\n`)
  }
  return { files, problems }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const describePayment = ({ file, name, archivedAt, problem, orderId, events, notifications }: ArchivedPaymentAnswer) =>
  printSections(
    printFields({ Order: orderId, File: `${file}, ${name}`, Archived: printTime(archivedAt), Problem: problem }),
    events &&
      printRows(events, {
        AT: ({ at }) => printTime(textOf(at)),
        '#>': ({ sequence }) => textOf(sequence),
        STATUS: ({ status }) => textOf(status),
        REASON: (event) => textOf(event['status_reason']),
        BY: ({ actor }) => textOf(actor),
      }),
    notifications && notifications.length > 0
      ? printRows(notifications, {
          NOTIFIED: (notification) => printTime(textOf(notification['created_at'])),
          EVENT: ({ kind }) => textOf(kind),
          'POSITION>': ({ position }) => textOf(position),
        })
      : undefined,
  )

export const archiveCommands: Group = {
  description: 'History of finished payments that was moved to files.',
  examples: ['payin archive verify', 'payin archive show order-1001'],
  usual: 'status',
  commands: {
    status: request('GET /archive', {
      description: 'Show how much is in the archive, and whether it lags.',
      print: describeStatus,
    }),
    list: list('GET /archive/files', {
      description: 'List the files of the archive, newest first.',
      inputs: { before: option('--before <number>', 'only files before this one'), limit: page.limit },
      rows: ({ files }: { files: ArchiveFileAnswer[] }) => files,
      empty: 'There are no files. PAYIN_ARCHIVE_AFTER_DAYS says when payments are archived.',
      columns: {
        '#>': 'number',
        FROM: ({ firstCreatedAt }) => printTime(firstCreatedAt),
        TO: ({ lastCreatedAt }) => printTime(lastCreatedAt),
        'PAYMENTS>': 'payments',
        'EVENTS>': 'events',
        'NOTIFICATIONS>': 'notifications',
        'BYTES>': 'bytes',
        'NAME~': 'name',
        'SHA-256~': 'sha256',
      },
    }),
    verify: command({
      description: 'Read every file and check it against its record; exits with 1 if one is damaged.',
      run: async (session) => {
        const result = await verifyAll(session)
        const { files, problems } = result
        session.showValue(result, () =>
          problems.length === 0
            ? files === 0
              ? 'There are no files.'
              : `${files === 1 ? 'The one file is' : `All ${files} files are`} intact, and each follows the one before it.`
            : printRows(problems, { 'FILE>': 'number', 'PROBLEM~': 'problem' }),
        )
        if (problems.length > 0) session.fail()
      },
    }),
    show: request('GET /archive/payments/{merchantId}/{id}', {
      description: 'Show what the archive has about a payment; --json shows everything.',
      inputs: paymentKey,
      print: describePayment,
      failed: ({ problem }) => problem !== undefined,
    }),
  },
}
