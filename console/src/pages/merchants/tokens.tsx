import { Checkbox, NumberInput, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { hour } from '../../../../src/rules/time.ts'
import { type Scope, scopes } from '../../../../src/rules/members/access.ts'
import type { ProfileAnswer } from '../../../../src/operations/merchants.ts'
import type { IssuedAnswer, TokenAnswer } from '../../../../src/operations/tokens.ts'
import { api } from '../../api/client.ts'
import { merchantTokens } from '../../api/merchants.ts'
import { useLiveQuery } from '../../live.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { CsvButton } from '../../parts/csv-button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Moment } from '../../parts/moment.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { Badge, type Tone } from '../../parts/status-badge.tsx'
import { useMay } from '../../session.ts'
import { useNow } from '../../time.ts'
import { typedInto } from '../../parts/typed.ts'

const changes = ['tokens']

const Create = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const usual = scopes.filter((scope) => merchant.mode === 'sandbox' || scope !== 'sandbox:simulate')
  const empty = { name: '', allowList: '', scopes: usual as readonly Scope[] }
  const [given, setGiven] = useState(empty)
  const field = typedInto(given, setGiven)
  const allowList = given.allowList.split(/[\s,]+/).filter(Boolean)
  return (
    <ActButton
      text="Create a token"
      variant="filled"
      title={`A token for ${merchant.name}`}
      confirm="Create the token"
      onOpen={() => setGiven(empty)}
      run={() =>
        api.post<IssuedAnswer>(`/merchants/${merchant.id}/tokens`, {
          ...{ name: given.name.trim(), scopes: given.scopes, allowList },
        })
      }
      changes={changes}
      isReady={given.name.trim() !== '' && given.scopes.length > 0}
      result={({ token, name }) => <SecretOnce title={`The token “${name}”`} secret={token} />}
    >
      <TextInput label="What it is for" placeholder="shop server" maxLength={100} data-autofocus {...field('name')} />
      <Checkbox.Group
        label="What it allows"
        value={[...given.scopes]}
        onChange={(chosen) => setGiven({ ...given, scopes: scopes.filter((scope) => chosen.includes(scope)) })}
      >
        <div className="scope-grid">
          {usual.map((scope) => (
            <Checkbox key={scope} size="xs" value={scope} label={scope} />
          ))}
        </div>
      </Checkbox.Group>
      <Textarea
        label="Addresses and networks it works from"
        description="One per line, such as 203.0.113.7 or 2001:db8::/32; none: from anywhere"
        autosize
        {...field('allowList')}
      />
    </ActButton>
  )
}

const Rotate = ({ token }: { readonly token: TokenAnswer }) => {
  const [hours, setHours] = useState<number | string>(24)
  return (
    <ActButton
      text="Rotate…"
      title={`Replace “${token.name}”`}
      confirm="Create the new token"
      run={() => api.post<IssuedAnswer>(`/tokens/${token.id}/rotate`, { overlapMs: Number(hours) * hour })}
      changes={changes}
      isReady={hours !== ''}
      result={(issued) => (
        <SecretOnce title={`The new token “${issued.name}”`} secret={issued.token}>
          <p>
            {Number(hours) === 0
              ? 'The old token no longer works.'
              : `The old token works for ${hours} more hours: put the new one in place until then.`}
          </p>
        </SecretOnce>
      )}
    >
      <p>
        Creates a token with the same scopes and addresses. Both work during the overlap, so that nothing is refused.
      </p>
      <NumberInput
        size="xs"
        label="Overlap in hours"
        description="0 revokes the old token now; at most 90 days"
        min={0}
        max={90 * 24}
        hideControls
        value={hours}
        onChange={setHours}
      />
    </ActButton>
  )
}

const Revoke = ({ token }: { readonly token: TokenAnswer }) => (
  <ActButton
    text="Revoke…"
    title={`Revoke “${token.name}”?`}
    confirm="Revoke it now"
    run={() => api.post(`/tokens/${token.id}/revoke`, {})}
    changes={changes}
    done={`“${token.name}” no longer works`}
    isGrave
  >
    <p>
      Requests with <code>{token.prefix}…</code> are refused from now on. This cannot be undone; to replace a token
      without a gap, rotate it instead.
    </p>
  </ActButton>
)

const stateOf = ({ revokedAt, expiresAt }: TokenAnswer, now: number): readonly [string, Tone] => {
  if (revokedAt !== undefined) return ['revoked', 'over']
  if (expiresAt === undefined) return ['active', 'good']
  return Date.parse(expiresAt) <= now ? ['expired', 'over'] : ['ends', 'wait']
}

const Token = ({ token, mayChange }: { readonly token: TokenAnswer; readonly mayChange: boolean }) => {
  const [state, tone] = stateOf(token, useNow())
  const isOver = tone === 'over'
  return (
    <li className={isOver ? 'card-row over-row' : 'card-row'}>
      <div className="card-main">
        <span className="strong">{token.name}</span> <Badge tone={tone}>{state}</Badge>
        <div className="quiet small">
          <code>{token.prefix}…</code> · {token.scopes.join(', ')}
        </div>
        <div className="quiet small">
          {token.allowList.length === 0 ? 'from anywhere' : `from ${token.allowList.join(', ')}`} · created{' '}
          <Moment at={token.createdAt} show="relative" />
          {' · '}
          {token.lastUsedAt === undefined ? (
            'never used'
          ) : (
            <>
              last used <Moment at={token.lastUsedAt} show="relative" />
            </>
          )}
          {token.revokedAt !== undefined && (
            <>
              {' '}
              · revoked <Moment at={token.revokedAt} show="relative" />
            </>
          )}
          {token.revokedAt === undefined && token.expiresAt !== undefined && (
            <>
              {' '}
              · {isOver ? 'ended' : 'works until'} <Moment at={token.expiresAt} />
            </>
          )}
        </div>
      </div>
      {mayChange && !isOver && (
        <div className="card-actions">
          <Rotate token={token} />
          <Revoke token={token} />
        </div>
      )}
    </li>
  )
}

/** A merchant's tokens: created, rotated with an overlap, revoked. */
export const Tokens = ({ merchant }: { readonly merchant: ProfileAnswer }) => {
  const mayChange = useMay('configure')
  const { data, error, refetch } = useLiveQuery(merchantTokens(merchant.id))
  const sorted = data?.toSorted((a, b) => Number(a.revokedAt !== undefined) - Number(b.revokedAt !== undefined))
  return (
    <>
      <div className="tab-head">
        <p className="quiet">
          A token proves to the API that a request comes from the merchant. It is shown once, when it is created.
        </p>
        <CsvButton path={`/merchants/${merchant.id}/tokens`} />
        {mayChange && <Create merchant={merchant} />}
      </div>
      {error !== null && data === undefined && <ProblemMessage error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <EmptyState title="No token yet">Without one the merchant's server is refused. Create the first.</EmptyState>
      )}
      <ul className="cards panel">
        {sorted?.map((token) => (
          <Token key={token.id} token={token} mayChange={mayChange} />
        ))}
      </ul>
    </>
  )
}
