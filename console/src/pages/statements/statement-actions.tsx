import { Button, Kbd, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { DetailedStatement } from '../../../../src/operations/statements.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { LedgerEntries } from '../../parts/ledger-entries.tsx'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { useMay } from '../../session.ts'
import { useKeys } from '../../shell/use-keys.ts'
import { ReadOtherwise } from './read-otherwise.tsx'
import { typed } from '../../parts/typed.ts'
import { language, say } from '../../language.ts'

type Props = { readonly statement: DetailedStatement }

const path = (id: string, verb: string): string => `/statements/${id}/${verb}`

const Import = ({ statement: { id, counts } }: Props) => {
  const queries = useQueryClient()
  const act = useMutation({
    mutationFn: () => api.post(path(id, 'confirm'), {}),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['statements'] }),
    onError: (error) => notifications.show({ color: 'red', title: 'Not imported', message: say(error.message) }),
  })
  useKeys({ i: () => !act.isPending && act.mutate() })
  return (
    <Button loading={act.isPending} onClick={() => act.mutate()} rightSection={<Kbd size="xs">i</Kbd>}>
      Import {counts.rows === 1 ? '1 row' : `${counts.rows.toLocaleString(language)} rows`}
    </Button>
  )
}

const Discard = ({ statement: { id, fileName } }: Props) => {
  const navigate = useNavigate()
  return (
    <ActButton
      text="Discard…"
      title={`Discard ${fileName}?`}
      confirm="Discard the file"
      run={async () => {
        await api.post(path(id, 'discard'), {})
        void navigate({ to: '/statements' })
      }}
      changes={['statements']}
      done={`${fileName} is discarded`}
    >
      <p>Its preview is deleted. Nothing has moved, and the same file may be uploaded again.</p>
    </ActButton>
  )
}

const WithdrawalPreview = ({ statement }: Props) => {
  const { error, isSuccess } = useQuery({
    queryKey: ['statements', 'withdrawal', statement.id],
    queryFn: () => api.post(path(statement.id, 'withdraw'), { reason: 'Preview', dryRun: true }),
    staleTime: 0,
    retry: false,
  })
  const waiting = statement.outcomes.reduce(
    (sum, { kind, transfers }) => (kind === 'suspense' ? sum + transfers : sum),
    0,
  )
  const { alreadyKnown, duplicates, beforeOpening, pending } = statement.counts
  /** Whether everything in the file is recorded as new, so that the sums of its accounts apply. */
  const isWhole = alreadyKnown + duplicates + beforeOpening + pending === 0
  if (error !== null) return <ProblemMessage error={error} />
  if (!isSuccess) return <p className="quiet">Checking whether something was decided about it…</p>
  return (
    <>
      <p>
        {waiting.toLocaleString(language)} transfers leave the queue, as if they had never been reported. The closing
        balances of the file are forgotten, unless another person confirmed it and one alone withdraws it. The file may
        be uploaded again.
      </p>
      {isWhole && (
        <LedgerEntries
          entries={statement.accounts.flatMap(({ requisiteId, credits, debits, currency }) => [
            ...(credits > 0
              ? [{ kind: 'return', debit: 'suspense', credit: `bank:${requisiteId}`, currency, amount: credits }]
              : []),
            ...(debits > 0
              ? [{ kind: 'send', debit: `bank:${requisiteId}`, credit: 'unexplained', currency, amount: debits }]
              : []),
          ])}
          names={Object.fromEntries(
            statement.accounts.map(({ requisiteId, requisite }) => [
              requisiteId,
              requisite?.label ?? requisite?.number,
            ]),
          )}
          empty="It writes no entries."
        />
      )}
    </>
  )
}

const Withdraw = ({ statement }: Props) => {
  const [reason, setReason] = useState('')
  return (
    <ActButton
      text="Withdraw…"
      title={`Withdraw ${statement.fileName}?`}
      confirm="Withdraw the import"
      run={() => api.post(path(statement.id, 'withdraw'), { reason: reason.trim() })}
      changes={['statements', 'transfers', 'reconciliation']}
      isReady={reason.trim() !== ''}
      isGrave
    >
      <WithdrawalPreview statement={statement} />
      <TextInput label="Reason" maxLength={500} data-autofocus {...typed(reason, setReason)} />
    </ActButton>
  )
}

/** What a person may do with a statement in its state. */
export const StatementActions = ({ statement }: Props) => {
  const mayImport = useMay('reconcile')
  if (!mayImport) return null
  if (statement.state === 'refused') return <ReadOtherwise statement={statement} />
  if (statement.state === 'imported') return <Withdraw statement={statement} />
  if (statement.state !== 'ready') return null
  return (
    <>
      <Discard statement={statement} />
      <ReadOtherwise statement={statement} />
      <Import statement={statement} />
    </>
  )
}
