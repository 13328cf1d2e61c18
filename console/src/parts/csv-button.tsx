import { Button } from '@mantine/core'
import { addressOf, type Query } from '../api/client.ts'
import { Icon } from './icon.tsx'

type Props = {
  /** The path of the list, whose export is at the same path with `.csv`. */
  readonly path: string
  readonly query?: Query
}

/** Saves a list as CSV: all of its pages, with its filters. The service names the file. */
export const CsvButton = ({ path, query = {} }: Props) => (
  <Button
    component="a"
    variant="default"
    href={addressOf(`${path}.csv`, query)}
    download
    leftSection={<Icon name="download" size={14} />}
  >
    CSV
  </Button>
)
