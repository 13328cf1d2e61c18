import { SegmentedControl, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { CreatedAnswer } from '../../../../src/operations/merchants.ts'
import { api } from '../../api/client.ts'
import { ActButton } from '../../parts/act-button.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { typedInto } from '../../parts/typed.ts'
import { usdt } from '../../../../src/rules/values/currency.ts'
import { isCode, QuoteCurrency, readCode } from './quote-currency.tsx'

const empty = { name: '', mode: 'sandbox', returnHost: '', quoteCurrency: usdt as string }

const hostPattern = /^[a-z0-9.-]+(:[0-9]{1,5})?$/

/** Creates a merchant and its first token, which is shown once. */
export const AddMerchant = () => {
  const [given, setGiven] = useState(empty)
  const field = typedInto(given, setGiven)
  const { name, mode, returnHost } = given
  const host = returnHost.trim().toLowerCase()
  const settings = {
    ...(host !== '' && { returnHosts: [host] }),
    quoteCurrency: readCode(given.quoteCurrency),
  }
  return (
    <ActButton
      text="Add a merchant"
      variant="filled"
      title="Add a merchant"
      confirm="Add it, with a token"
      onOpen={() => setGiven(empty)}
      run={() => api.post<CreatedAnswer>('/merchants', { name: name.trim(), mode, settings, tokenName: 'first token' })}
      changes={['merchants']}
      isReady={name.trim() !== '' && (host === '' || hostPattern.test(host)) && isCode(given.quoteCurrency)}
      result={(made) => (
        <SecretOnce title={`The first token of ${made.name}`} secret={made.issued?.token ?? ''}>
          <p>
            Its server sends it as <code>Authorization: Bearer …</code>.
          </p>
          <p>
            <Link to="/merchants/$merchantId" params={{ merchantId: made.id }}>
              Set its terms and endpoints
            </Link>
          </p>
        </SecretOnce>
      )}
    >
      <TextInput label="Name" description="Payers see it" maxLength={200} data-autofocus {...field('name')} />
      <div>
        <SegmentedControl
          aria-label="Mode"
          fullWidth
          data={[
            { value: 'sandbox', label: 'Sandbox: made-up money' },
            { value: 'live', label: 'Live: real money' },
          ]}
          value={mode}
          onChange={(chosen) => setGiven({ ...given, mode: chosen })}
        />
        <p className="quiet small">It cannot be changed later.</p>
      </div>
      <TextInput
        label="Host of the shop"
        description="Payers may be sent back to it; more can be added later"
        placeholder="shop.example.com"
        error={host !== '' && !hostPattern.test(host)}
        {...field('returnHost')}
      />
      <QuoteCurrency {...field('quoteCurrency')} />
    </ActButton>
  )
}
