import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { addressOf, readAnswer } from '../../api/client.ts'
import { merchants } from '../../api/merchants.ts'
import { Icon } from '../../parts/icon.tsx'
import { useMay } from '../../session.ts'

/** Saves the file, or shows why there is none: a plain link would save the refusal. */
const save = async (): Promise<void> => {
  const response = await fetch(addressOf('/sandbox/statement'))
  if (!response.ok) {
    readAnswer(response.status, await response.text())
    return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = 'simulated-bank.xml'
  link.click()
  URL.revokeObjectURL(link.href)
}

/**
 * Today's statement of the simulated bank, if there is a sandbox merchant; it can be dropped on the page for import.
 */
export const SimulatedBank = () => {
  const { data } = useQuery(merchants)
  const mayReveal = useMay('reveal')
  const act = useMutation({
    mutationFn: save,
    onError: ({ message }) => notifications.show({ title: 'There is no file', message }),
  })
  if (!mayReveal || !data?.some(({ mode }) => mode === 'sandbox')) return null
  return (
    <Button
      variant="default"
      loading={act.isPending}
      leftSection={<Icon name="download" size={14} />}
      onClick={() => act.mutate()}
    >
      Simulated bank
    </Button>
  )
}
