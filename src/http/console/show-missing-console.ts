const style = `
body { font: 16px/1.6 system-ui, sans-serif; max-width: 34em; margin: 20vh auto; padding: 0 1.5em; color-scheme: light dark }
h1 { font-size: 1.4em; line-height: 1.3 }
code { font-size: .95em }
`

/** The page that is shown while the console is being built; it reloads until the console is there. */
export const showMissingConsole = (nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="3">
<title>Payin: the console is being built</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<h1>The console is being built</h1>
<p>This takes a few seconds after an installation or update. The console opens as soon as it is ready; the API already works.</p>
<p>If it takes longer than a minute, the service's log says why, and <code>npm run build:console</code> builds it again.</p>
</main>
</body>
</html>
`
