import { Button, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type SimulatedFormat, simulatedFormats } from '../../../../src/rules/sandbox/simulated-statement.ts'
import { addressOf, readAnswer } from '../../api/client.ts'
import { merchants } from '../../api/merchants.ts'
import { Icon } from '../../parts/icon.tsx'

const formats: Readonly<Record<SimulatedFormat, { readonly label: string; readonly ending: string }>> = {
  'camt.053': { label: 'camt.053', ending: 'xml' },
  '1c': { label: '1CClientBankExchange', ending: 'txt' },
  mt940: { label: 'MT940', ending: 'sta' },
  csv: { label: 'CSV', ending: 'csv' },
}

/** Saves the file, or shows why there is none: a plain link would save the refusal. */
const save = async (format: SimulatedFormat): Promise<void> => {
  const response = await fetch(addressOf('/sandbox/statement', { format }))
  if (!response.ok) {
    readAnswer(response.status, await response.text())
    return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = `simulated-bank.${formats[format].ending}`
  link.click()
  URL.revokeObjectURL(link.href)
}

/**
 * Today's statement of the simulated bank, if there is a sandbox merchant; it can be dropped on the page for import.
 */
export const SimulatedBank = () => {
  const { data } = useQuery(merchants)
  const act = useMutation({
    mutationFn: save,
    onError: ({ message }) => notifications.show({ title: 'There is no file', message }),
  })
  if (!data?.some(({ mode }) => mode === 'sandbox')) return null
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" loading={act.isPending} leftSection={<Icon name="download" size={14} />}>
          Simulated bank
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {simulatedFormats.map((format) => (
          <Menu.Item key={format} onClick={() => act.mutate(format)}>
            Today as {formats[format].label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
