/** What was asked for can't be done as asked; the message says how. Ends the process with code 2. */
export class UsageError extends Error {}

export const USAGE = `selfsame: what every agent has learned of a user, as beliefs that fade

  selfsame serve [--host 127.0.0.1] [--port 8787] [--data ./data] [--config FILE]
                 [--master-key FILE] [--jwks URL] [--audience NAME] [--origin URL]... [--frame-ancestors URL]...
                 [--offer-webhook ROLE=URL]... [--alert-webhook URL] [--webhook-secret FILE] [--link-secret FILE]
                 [--log info]
      Serves the product. Without --config it is the sample support desk. Prints a link to the console.
      On SIGHUP it reads FILE again and puts it in force; one with a mistake is refused and changes nothing.
  selfsame token --agent ID --role ROLE [--ttl 12h] [--data ./data] [--config FILE]
      Prints a token made with the local secret.
  selfsame check NEW.json [--config OLD.json] [--data ./data]
      Who gains or loses which field under a new schema, and which evidence no longer fits. A server may be running.
      Exit code 0: nothing is lost; 1: something is; 2: it can't be told, as NEW.json is not a schema, say.
  selfsame replay FILE.jsonl [--config FILE] [--json]
      How many repeats a shared model would have avoided, by field, from your own logs; see README.md for the lines.
      Without --config fields and roles are those of the log. Exit code 0: all of it counted; 1: some lines were left
      out; 2: it can't be told, as a line is not one, say.
  selfsame export USER [--format json|markdown] [--data ./data]
      Prints everything that is kept of a user, for programs or for a person. The server must be stopped.
  selfsame import FILE [--data ./data]
      Adds the evidence and the names of an export as JSON. Work, handoffs and the audit stay in the file. The server
      must be stopped.
  selfsame erase USER [--data ./data]       Erases a user for good. The server must be stopped; else use DELETE /v1/users/USER.
  selfsame keys rotate [--data ./data] [--master-key FILE]
      Puts a new master key in the place of the one in its file, also while a server runs. One from elsewhere is replaced
      by SELFSAME_NEW_MASTER_KEY_VALUE, with the server stopped.
  selfsame backup DIR [--data ./data]       Copies the data, also while a server runs. The master key is not copied.
  selfsame audit verify [--data ./data] [--head FILE]...
      Whether the audit is as it was written, also while a server runs. Names the first entry that is altered, missing or
      moved, and moments in which a crash may have lost reads. Exit code 0: it is; 1: it is not.
  selfsame audit head [--data ./data]       Prints the last signed head. Kept elsewhere, it proves later that nothing was cut off.
  selfsame demo                             Three roles and a person work on one user, live, in under a minute.
  selfsame demo --serve [--host 127.0.0.1] [--port 8787] [--data DIR] [--beat 4000]
      A desk with a dozen users that lives until Ctrl-C, and a link to its console. A step of work takes a beat, in
      milliseconds. Without --data nothing of it is kept.
  selfsame mcp                              Tools for language models over stdio (MCP), as the agent of SELFSAME_TOKEN
                                            at SELFSAME_URL. The same over HTTP: /mcp of the server.
  selfsame bench [NAME] [--json FILE]       Measures; see bench/.
  selfsame help | version

Every flag may also be set as SELFSAME_*, such as SELFSAME_PORT. A flag wins.`
