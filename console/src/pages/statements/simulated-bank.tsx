import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { merchants } from '../../api/merchants.ts'
import { Icon } from '../../parts/icon.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useMay } from '../../session.ts'

/**
 * Today's statement of the simulated bank, if there is a sandbox merchant; it can be dropped on the page for import.
 */
export const SimulatedBank = () => {
  const { data } = useQuery(merchants)
  const mayReveal = useMay('reveal')
  const act = useMutation({
    mutationFn: () => saveFile('/sandbox/statement'),
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
