import { Button, Group, Modal } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { openStatuses } from '../../../../src/domain/payment.ts'
import type { Timeline } from '../../../../src/http/operator-api/payments.ts'
import { api } from '../../api/client.ts'
import { formatMoney } from '../../money.ts'
import { ProblemMessage } from '../../parts/problem-message.tsx'
import { useMay } from '../../session.ts'

/** What a person may do about a payment in its state. */
export const PaymentActions = ({ payment }: { readonly payment: Timeline }) => {
  const [isAsked, setAsked] = useState(false)
  const queries = useQueryClient()
  const mayCancel = useMay('support')
  const cancel = useMutation({
    mutationFn: () => api.post(`/payments/${payment.merchantId}/${payment.id}/cancel`, {}),
    onSuccess: async () => {
      setAsked(false)
      await queries.invalidateQueries({ queryKey: ['payments'] })
    },
  })
  if (!mayCancel || !openStatuses.has(payment.status) || payment.receivedAmount > 0) return null
  return (
    <div className="drawer-actions">
      <Button variant="default" onClick={() => setAsked(true)}>
        Cancel the payment…
      </Button>
      <Modal
        opened={isAsked}
        onClose={() => setAsked(false)}
        title={`Cancel ${payment.orderId}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <p>
          The payer can no longer pay {formatMoney(payment.amount, payment.currency)}, and the merchant is notified. It
          cannot be undone; the merchant may create another payment.
        </p>
        {cancel.error !== null && <ProblemMessage error={cancel.error} />}
        <Group mt="md" justify="flex-end">
          <Button variant="default" onClick={() => setAsked(false)}>
            Keep it
          </Button>
          <Button color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel the payment
          </Button>
        </Group>
      </Modal>
    </div>
  )
}
