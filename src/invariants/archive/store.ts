import { type Invariant, invariant } from '../../database/invariant.ts'

/** The invariants of the archive of old history (docs/domain.md §12); zero rows is healthy. */
export const archiveInvariants: readonly Invariant[] = [
  invariant(
    'archive-files-chained',
    'The files of the archive are numbered from 1 without gaps, and each names the hash of the one before it.',
    `select number::text from (
        select number, previous_hash, lag(hash, 1, '') over (order by number) as hash_before,
          row_number() over (order by number) as nth from archive_files
      ) as files where previous_hash <> hash_before or number <> nth`,
  ),
  invariant(
    'archived-payments-counted',
    'Each file of the archive has as many recorded payments and events as were written to it.',
    `select concat_ws(' ', number, file) from archive_files full join (
        select file, count(*) as payments, sum(sequence) as events from archived_payments group by file
      ) as known on known.file = archive_files.number
      where (archive_files.payments, archive_files.events) is distinct from (known.payments, known.events)`,
    'implied',
  ),
]
