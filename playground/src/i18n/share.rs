//! Texts of saving, sharing and exporting.

use super::{Lang, Localized, format_message};

crate::i18n::messages! {
    /// Sharing texts.
    Share {
        Plans: "Plans", "Planes";
        Untitled: "Untitled plan", "Plan sin título";
        ShareIt: "Share", "Compartir";
        ShareAndExport: "Share and export", "Compartir y exportar";
        Versions: "Restore points", "Puntos de restauración";
        Close: "Close", "Cerrar";
        Saved: "Saved", "Guardado";
        Saving: "Saving…", "Guardando…";
        NotSaved: "Not saved", "Sin guardar";
        InMemory: "In memory only", "Solo en memoria";
        SavedAnnouncement: "saved. Changes are saved automatically.",
            "guardado. Los cambios se guardan automáticamente.";
        Recovered: "unsaved changes from a closed page were restored",
            "se han recuperado cambios sin guardar de una página cerrada";

        Guest: "This plan is being edited in another tab. This tab shows what is saved there.",
            "Este plan se está editando en otra pestaña. Esta pestaña muestra lo que se guarda allí.";
        LockLost: "Another tab now edits this plan. Your changes here were saved.",
            "Ahora otra pestaña edita este plan. Los cambios que hizo aquí se han guardado.";
        LockGained: "The other tab is closed. This tab now edits the plan.",
            "La otra pestaña se ha cerrado. Ahora esta pestaña edita el plan.";
        NewerVersion: "Another tab saved a newer version. Your version is a restore point.",
            "Otra pestaña ha guardado una versión más reciente. La suya es un punto de restauración.";
        EditHere: "Edit here", "Editar aquí";
        KeepCopy: "Keep a copy", "Guardar una copia";
        StorageDenied: "This browser does not let the page save anything. Download the plan before you close the tab.",
            "Este navegador no permite guardar nada. Descargue el plan antes de cerrar la pestaña.";
        StorageFull:
            "The browser's storage is full, so this plan is not saved. Download it, or delete plans that you no longer need. The page tries again with every change.",
            "El almacenamiento del navegador está lleno y el plan no se ha guardado. Descárguelo o elimine planes que ya no necesite. La página lo reintenta con cada cambio.";
        StorageFailed:
            "This plan could not be saved ({}). Download it to be safe. The page tries again with every change.",
            "No se ha podido guardar este plan ({}). Descárguelo por seguridad. La página lo reintenta con cada cambio.";
        PlanMissing: "Another tab has deleted this plan.", "Otra pestaña ha eliminado este plan.";
        Download: "Download", "Descargar";
        Copy: "Copy", "Copiar";
        Copied: "copied", "copiado";

        ForeignLink:
            "This plan came from a link. You can view and edit it. Before it runs, you approve what it requests.",
            "Este plan procede de un enlace. Puede verlo y editarlo. Antes de ejecutarlo debe aprobar lo que solicita.";
        ForeignOther:
            "This plan is from an untrusted source. You can view and edit it. Before it runs, you approve what it requests.",
            "Este plan procede de una fuente no fiable. Puede verlo y editarlo. Antes de ejecutarlo debe aprobar lo que solicita.";
        ShowRecorded: "Show recorded run", "Ver la ejecución grabada";
        ReviewPlan: "Review requests", "Revisar lo que solicita";

        LinkCut: "This link is incomplete: its end is missing. Copy the whole link again.",
            "Este enlace está incompleto: le falta el final. Copie de nuevo el enlace entero.";
        LinkChanged: "This link was altered: its checksum does not match. Ask for it again.",
            "Este enlace se ha alterado: la suma de comprobación no coincide. Pídalo de nuevo.";
        LinkVersion:
            "This link is from a newer version of the page (format {}). Reload this page, or ask for the plan as a file.",
            "Este enlace es de una versión más reciente de la página (formato {}). Recargue esta página o pida el plan como archivo.";
        LinkGarbage: "This link contains no plan.", "Este enlace no contiene ningún plan.";
        LinkLarge: "The plan in this link is too large to open.",
            "El plan de este enlace es demasiado grande para abrirlo.";
        LinkEmpty: "The plan in this link is empty.", "El plan de este enlace está vacío.";
        ClipboardDenied: "The browser denies access to the clipboard. Select the text and copy it.",
            "El navegador no permite usar el portapapeles. Seleccione el texto y cópielo.";
        PasteDenied: "The browser does not let the page read the clipboard. Paste into the field instead.",
            "El navegador no permite leer el portapapeles. Pegue el texto en el campo.";
        ClipboardEmpty: "There is no text on the clipboard.", "No hay texto en el portapapeles.";
        Unreachable:
            "The page can't read {}. The server does not respond, or it does not send `Access-Control-Allow-Origin`. You can download the file and open it here.",
            "La página no puede leer {}. El servidor no responde o no envía `Access-Control-Allow-Origin`. Puede descargar el archivo y abrirlo aquí.";
        Refused: "The server denies access to the file ({}).", "El servidor deniega el acceso al archivo ({}).";
        Missing: "The file does not exist ({}).", "El archivo no existe ({}).";
        BadAddress: "`{}` is not a file address. It must start with https:// or http://.",
            "`{}` no es la dirección de un archivo. Debe empezar con https:// o http://.";
        FileLarge: "{} is larger than the limit for plans (16 MB).",
            "{} supera el límite de tamaño de un plan (16 MB).";
        FileBinary:
            "{} is not a text file. If it is a page that shows a file, use the address of the file itself.",
            "{} no es un archivo de texto. Si es una página que muestra un archivo, use la dirección del propio archivo.";
        PictureLarge: "The canvas is too large for a PNG image. Export it as SVG.",
            "El lienzo es demasiado grande para una imagen PNG. Expórtelo como SVG.";
        PictureFailed: "The browser could not create the image. Export it as SVG.",
            "El navegador no ha podido crear la imagen. Exporte el plan como SVG.";
        ImportFailed: "The import failed: {}", "La importación ha fallado: {}";

        LinkAbout:
            "The link itself contains the plan, after the #. No server receives it, and the link opens offline.",
            "El propio enlace contiene el plan, después del #. Ningún servidor lo recibe y el enlace se abre sin conexión.";
        LinkField: "Link", "Enlace";
        WithStubs: "with stubs", "con stubs";
        WithRun: "with the recorded run", "con la ejecución grabada";
        CopyLink: "Copy link", "Copiar el enlace";
        LinkLetters: "{} characters", "{} caracteres";
        LinkLong: "Some mail and chat programs cut links of this length. Send a file instead.",
            "Algunos programas de correo y chat cortan enlaces de esta longitud. Envíe mejor un archivo.";
        LinkTooLong: "Browsers do not open links of this length. Export a file instead.",
            "Los navegadores no abren enlaces de esta longitud. Exporte un archivo.";
        KeysLeftOut: "Keys and secrets removed: {}", "Claves y secretos quitados: {}";
        EmbedField: "HTML for your own page", "HTML para su propia página";
        Export: "Export", "Exportar";
        AsText: "YAML", "YAML";
        AsJson: "JSON", "JSON";
        AsMermaid: "Mermaid", "Mermaid";
        AsSvg: "SVG image", "Imagen SVG";
        AsPng: "PNG image", "Imagen PNG";
        CopyByHand: "Text to copy", "Texto para copiar";

        NewPlan: "New plan", "Plan nuevo";
        OpenFile: "Open a file…", "Abrir un archivo…";
        PastePlan: "Paste", "Pegar";
        FromAddress: "URL of a plan", "URL de un plan";
        PasteField: "A plan, a Mermaid flowchart or a Serverless Workflow",
            "Un plan, un diagrama de flujo de Mermaid o un Serverless Workflow";
        Open: "Open", "Abrir";
        OpenNow: "open", "abierto";
        Rename: "Rename", "Cambiar nombre";
        Name: "Name", "Nombre";
        Duplicate: "Duplicate", "Duplicar";
        Delete: "Delete", "Eliminar";
        DeleteForGood: "Delete permanently", "Eliminar definitivamente";
        BringBack: "Restore", "Restaurar";
        Deleted: "Deleted “{}”.", "Se ha eliminado «{}».";
        Undo: "Undo", "Deshacer";
        DeletedLately: "Deleted in the last week", "Eliminados en la última semana";
        NoPlans: "No saved plans yet. Your changes are saved here automatically.",
            "Todavía no hay planes guardados. Sus cambios se guardan aquí automáticamente.";
        ByLink: "by link", "por enlace";
        ByAddress: "from a URL", "de una URL";
        ByFile: "from a file", "de un archivo";
        DropHere: "Drop the file to open it as a new plan", "Suelte el archivo para abrirlo como plan nuevo";
        Imported: "Imported from {} with {} notes:", "Importado de {} con {} notas:";
        ImportedOneNote: "Imported from {} with 1 note:", "Importado de {} con 1 nota:";
        ImportedExactly: "Imported from {}.", "Importado de {}.";

        PointsAbout:
            "The page creates them every ten minutes while you edit and before large changes. You can add your own.",
            "La página los crea cada diez minutos mientras edita y antes de los cambios grandes. Puede añadir los suyos.";
        NoPoints: "No restore points yet.", "Todavía no hay puntos de restauración.";
        PointName: "Name of the restore point", "Nombre del punto de restauración";
        KeepPoint: "Save this version", "Guardar esta versión";
        Restore: "Restore this version", "Restaurar esta versión";
        Restored: "restored. The previous text is a restore point.",
            "restaurado. El texto anterior es un punto de restauración.";
        BeforeDelete: "before a large deletion", "antes de una eliminación grande";
        BeforeRestore: "before a restore", "antes de una restauración";
        BeforeImport: "before a large change", "antes de un cambio grande";
        Unsaved: "unsaved changes of another tab", "cambios sin guardar de otra pestaña";
        AutomaticPoint: "automatic", "automático";
        WhatDiffers: "Differences from the current text", "Diferencias con el texto actual";
        NoDifferences: "Identical to the current text.", "Es idéntico al texto actual.";
        ChooseOne: "Choose a restore point to compare it.", "Elija un punto de restauración para compararlo.";
        OneLineLeftOut: "1 equal line", "1 línea igual";
        LinesLeftOut: "{} equal lines", "{} líneas iguales";
        Comparing: "Comparing…", "Comparando…";
        LinesOld: "removed", "eliminada";
        LinesNew: "added", "añadida";

        ConsentTitle: "Allow this plan to run?", "¿Permitir que se ejecute este plan?";
        ConsentAbout:
            "This plan is from an untrusted source. When it runs, it can do the following with your browser and your keys:",
            "Este plan procede de una fuente no fiable. Al ejecutarse puede hacer lo siguiente con su navegador y sus claves:";
        ConsentNothing: "It makes no calls.", "No hace ninguna llamada.";
        Servers: "Connects to servers", "Se conecta a servidores";
        Tools: "Calls tools", "Llama a herramientas";
        Models: "Calls language models", "Llama a modelos de lenguaje";
        People: "Requests your approval", "Pide su aprobación";
        Handlers: "Runs handlers of this page", "Ejecuta handlers de esta página";
        AnyTool: "any connected tool", "cualquier herramienta conectada";
        DefaultModel: "your default model", "su modelo por defecto";
        Reads: "read-only", "solo lectura";
        Writes: "modifies data", "modifica datos";
        Destroys: "destructive", "destructiva";
        UnknownEffect: "may modify data", "puede modificar datos";
        Agree: "Allow", "Permitir";
        NotNow: "Not now", "Ahora no";
        Agreed: "the plan may run in this session", "el plan puede ejecutarse en esta sesión";
        BrokenPlan: "The plan has errors, so its requests are unknown.",
            "El plan tiene errores, así que no se sabe qué solicita.";

        StopRunTitle: "Stop the run?", "¿Detener la ejecución?";
        StopRunAbout:
            "The run of this plan is still active. If you open another plan, the run stops and makes no more calls.",
            "La ejecución de este plan sigue activa. Si abre otro plan, la ejecución se detiene y no hace más llamadas.";
        StopAndOpen: "Stop and open", "Detener y abrir";
        Stay: "Cancel", "Cancelar";

        NewVersion: "A new version of this page is available.", "Hay una nueva versión de esta página.";
        Reload: "Reload", "Recargar";
        OpenWhole: "Open in Stepgraph", "Abrir en Stepgraph";
    }
}

/// Codes are those of `playground/js/share/errors.ts`.
pub fn error_message(lang: Lang, code: &str, detail: &str) -> String {
    let word = match code {
        "link/cut" => Share::LinkCut,
        "link/changed" => Share::LinkChanged,
        "link/version" => Share::LinkVersion,
        "link/garbage" => Share::LinkGarbage,
        "link/large" => Share::LinkLarge,
        "link/empty" => Share::LinkEmpty,
        "storage/denied" => Share::StorageDenied,
        "storage/full" => Share::StorageFull,
        "storage/newer" => Share::NewerVersion,
        "storage/gone" => Share::PlanMissing,
        "clipboard/denied" => Share::ClipboardDenied,
        "clipboard/empty" => Share::ClipboardEmpty,
        "file/unreachable" => Share::Unreachable,
        "file/refused" => Share::Refused,
        "file/large" => Share::FileLarge,
        "file/binary" => Share::FileBinary,
        "file/missing" => Share::Missing,
        "file/address" => Share::BadAddress,
        "picture/large" => Share::PictureLarge,
        "picture/failed" => Share::PictureFailed,
        "import/failed" => Share::ImportFailed,
        _ => Share::StorageFailed,
    };
    format_message(word.text(lang), &[detail])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_code_has_its_own_message() {
        let source = include_str!("../../js/share/errors.ts");
        let table =
            source.split("export const CODES = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
        let codes: Vec<&str> = table.split('"').filter(|part| part.contains('/')).collect();
        assert!(codes.len() > 20);
        for lang in Lang::ALL {
            let mut said: Vec<String> = codes.iter().map(|code| error_message(lang, code, "x")).collect();
            assert!(said.iter().all(|text| !text.contains("{}")));
            said.sort();
            said.dedup();
            assert_eq!(said.len(), codes.len());
        }
    }

    #[test]
    fn translations_have_the_same_placeholders() {
        for word in Share::ALL {
            let [en, es] = Lang::ALL.map(|lang| word.text(lang).matches("{}").count());
            assert_eq!(en, es, "{word:?}");
            assert!(!word.text(Lang::Es).is_empty());
        }
    }
}
