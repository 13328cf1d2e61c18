import { addressOf, type Query, readAnswer } from '../api/client.ts'

/** Saves a file of the service, or throws why there is none: a plain link would save the refusal. */
export const saveFile = async (path: string, query: Query = {}): Promise<void> => {
  const response = await fetch(addressOf(path, query))
  if (!response.ok) {
    readAnswer(response.status, await response.text())
    return
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'file'
  link.click()
  URL.revokeObjectURL(link.href)
}
