// `docs/roles.md` and its Russian edition: who may call which operation.
import { duties, type Role, roles, scopes, scopesOfGrant } from '../src/rules/members/access.ts'
import { code, operationsOf, table } from './describe-api.ts'

type Duty = keyof typeof duties

/** The sentences of an edition; those about grants get lists of scopes. */
type RoleWords = {
  readonly title: string
  readonly introduction: string
  readonly headings: readonly [duty: string, covers: string]
  readonly yes: string
  /** What each duty covers. */
  readonly duties: Readonly<Record<Duty, string>>
  readonly byDuty: string
  readonly everythingElse: string
  readonly byScope: string
  readonly language: string
  readonly grants: (read: string, added: string) => string
}

const english: RoleWords = {
  title: `# Roles and scopes

[По-русски](ru/roles.md)`,
  introduction: `Generated from \`src/rules/members/access.ts\` and the operations by \`npm run generate\`.
[The OpenAPI document](openapi.json) says what each operation does, with its roles as \`x-roles\`.

An operator's token has a role: \`PAYIN_OPERATOR_TOKENS=anna/owner:…,boris/support:…\`. A token without a role, and
\`PAYIN_OPERATOR_TOKEN\`, is an owner's. An operation that the role does not allow is refused with \`role_missing\`;
\`payin whoami\` shows your role. What needs two people needs two different ones, whatever their roles
([who counts](domain.md#85-settlements)).`,
  headings: ['duty', 'what it covers'],
  yes: 'yes',
  duties: {
    read: 'read everything, preview decisions',
    support: 'care for payers and merchants; nothing here credits anybody',
    decide: 'decide which payment money is for, who is refused, and which accounts take money',
    reveal: 'view in full the numbers that are masked everywhere else, each with a reason',
    reconcile: 'import what banks report, set what accounts held, and say what outgoing money was for',
    account: 'rates, settlements, adjustments, overpayments',
    configure: 'merchants with their tokens, terms, limits and endpoints; accounts, sources, banks, rules, channels',
  },
  byDuty: 'Operations of the operator API, by duty',
  everythingElse: 'everything else',
  byScope: 'Operations of the merchant API, by scope',
  language: 'en',
  grants: (read, added) =>
    `A token has scopes. A member of a merchant has a grant instead, and none of the roles above: \`read\` has the scopes
${read}; \`write\` adds ${added},
but only a token can create payments.`,
}

const russian: RoleWords = {
  title: `# Роли и права

[In English](../roles.md)`,
  introduction: `Создано из \`src/rules/members/access.ts\` и описаний операций командой \`npm run generate\`.
Что делает каждая операция, говорит [документ OpenAPI](../openapi.json); её роли указаны там в \`x-roles\`.

У токена оператора есть роль: \`PAYIN_OPERATOR_TOKENS=anna/owner:…,boris/support:…\`. Токен без роли и
\`PAYIN_OPERATOR_TOKEN\` — токены владельца. Операция, которую роль не разрешает, отклоняется с кодом \`role_missing\`;
вашу роль показывает \`payin whoami\`. Если для операции нужны двое, это два разных человека, какие бы роли у них ни были
([кто считается](../domain.md#85-settlements)).`,
  headings: ['полномочие', 'что в него входит'],
  yes: 'да',
  duties: {
    read: 'читать всё, смотреть решения заранее',
    support: 'помогать плательщикам и мерчантам; здесь ничто никому не зачисляет денег',
    decide: 'решать, за какой платёж пришли деньги, кому отказать и какие счета принимают деньги',
    reveal: 'видеть целиком номера, которые везде скрыты, каждый с указанием причины',
    reconcile: 'загружать сведения банков, задавать остатки счетов и статьи списаний',
    account: 'курсы, выплаты мерчантам, корректировки, переплаты',
    configure:
      'мерчанты, их токены, условия, лимиты и адреса уведомлений; счета, источники, банки, правила, каналы оповещений',
  },
  byDuty: 'Операции API оператора по полномочиям',
  everythingElse: 'всё остальное',
  byScope: 'Операции API мерчанта по правам',
  language: 'ru',
  grants: (read, added) =>
    `У токена есть права. У сотрудника мерчанта вместо них — доступ, а ролей, названных выше, у него нет:
\`read\` — это ${read}; \`write\` добавляет ${added},
но создавать платежи может только токен.`,
}

const describeRoles = (openApi: string, words: RoleWords): string => {
  const operations = operationsOf(openApi)
  const listBy = (key: 'x-duty' | 'x-scope', names: readonly string[]): string =>
    names
      .map((name) => {
        const found = operations.filter((each) => each[key] === name).map(({ operationId }) => code(operationId ?? ''))
        return `- **${name}**: ${found.join(', ')}`
      })
      .join('\n')
  const added = scopesOfGrant.write.filter((scope) => !scopesOfGrant.read.includes(scope))
  return `${words.title}

${words.introduction}

${table(
  [words.headings[0], ...roles.map(code), words.headings[1]],
  Object.entries(duties).map(([duty, allowed]) => [
    duty,
    ...roles.map((role) => ((allowed as readonly Role[]).includes(role) ? words.yes : '')),
    words.duties[duty as Duty],
  ]),
)}

## ${words.byDuty}

- **read**: ${words.everythingElse}
${listBy(
  'x-duty',
  Object.keys(duties).filter((duty) => duty !== 'read'),
)}

## ${words.byScope}

${words.grants(scopesOfGrant.read.map(code).join(', '), new Intl.ListFormat(words.language).format(added.map(code)))}

${listBy('x-scope', scopes)}
`
}

/** The text of `docs/roles.md`. */
export const rolesDocument = (openApi: string): string => describeRoles(openApi, english)

/** The text of `docs/ru/roles.md`. */
export const russianRolesDocument = (openApi: string): string => describeRoles(openApi, russian)
