import { parseEncryptionKeys } from '../secrets/parse-encryption-keys.ts'
import { parseOperatorTokens } from '../secrets/parse-operator-tokens.ts'
import { longToken, settingsOf } from './setting-kinds.ts'

export const secretSettings = settingsOf('Secrets', {
  encryptionKeys: {
    name: 'PAYIN_ENCRYPTION_KEYS',
    kind: parseEncryptionKeys,
    secret: true,
    requiredInProduction: true,
    fix: 'set the keys with which the database was written; only for a new database: echo "k1:$(openssl rand -base64 32)"',
    doc: 'Master keys, id:base64-of-32-bytes,…; the first encrypts, all decrypt; unset: kept in the data directory.',
  },
  operatorToken: {
    name: 'PAYIN_OPERATOR_TOKEN',
    kind: longToken,
    secret: true,
    requiredInProduction: true,
    fix: 'make one with: openssl rand -hex 32',
    doc: 'Token of the operator API, 32 to 256 characters without spaces; unset: kept in the data directory.',
  },
  operatorTokens: {
    name: 'PAYIN_OPERATOR_TOKENS',
    kind: parseOperatorTokens,
    secret: true,
    fix: 'write name/role:token pairs, such as anna/owner:<openssl rand -hex 32>,boris/support:<another>',
    doc: 'Further operators with their own tokens, name/role:token,…; roles are owner (the default), operator, finance, support, auditor (docs/roles.md); two-person decisions need two of them.',
  },
})
