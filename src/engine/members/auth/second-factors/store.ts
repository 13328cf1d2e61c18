import { integer, query, text, uuid } from 'payin-database'

const factorRow = { id: uuid, secret: text, backupCodes: text }

/** Second factors after one, in encrypted form. */
export const listSecondFactorsAfter = query('list_second_factors_after', {
  parameters: { id: uuid, limit: integer },
  row: factorRow,
  text: `select :row from member_second_factors where id > :id order by id limit :limit`,
})

/** Writes re-encrypted second factors, unless they have changed meanwhile. */
export const updateSecondFactors = query('renew_second_factors', {
  rows: { ...factorRow, secretBefore: text, backupCodesBefore: text },
  text: `update member_second_factors as known set secret = input.secret, backup_codes = input.backup_codes from :rows
    where known.id = input.id and known.secret = input.secret_before and known.backup_codes = input.backup_codes_before`,
})
