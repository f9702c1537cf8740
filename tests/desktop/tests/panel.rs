//! A tray host that people run, the panel of Xfce, driven by its mouse and keyboard.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use doorward_desk::ask::command;
use doorward_desk::eventually;
use doorward_desk::screen::Screen;
use doorward_desk::world::World;
use serde_json::json;
use zbus::blocking::fdo::DBusProxy;

/// A panel along the upper edge that holds nothing but the tray: our icon is its first.
const PANEL: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array"><value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="size" type="uint" value="32"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray">
      <property name="hide-new-items" type="bool" value="false"/>
      <property name="square-icons" type="bool" value="true"/>
    </property>
  </property>
</channel>
"#;
const WATCHER: &str = "org.kde.StatusNotifierWatcher";
/// Where the only icon is.
const ICON: (i32, i32) = (16, 16);
/// A menu that has just changed answers nothing for half a second.
const PROTECTED: Duration = Duration::from_millis(700);
/// A panel takes a moment to show a menu; what comes too early is tried again.
const STEP: Duration = Duration::from_millis(300);

struct Panel(Vec<Child>);

impl Panel {
    fn start(world: &World) -> Self {
        let folder = world.path("home/.config/xfce4/xfconf/xfce-perchannel-xml");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("xfce4-panel.xml"), PANEL).expect("its settings");
        let mut panel = Self(vec![]);
        panel.run(world, &settings_daemon());
        eventually("the settings", || owned(world, "org.xfce.Xfconf"));
        panel.run(world, Path::new("xfce4-panel"));
        eventually("the panel's tray", || owned(world, WATCHER));
        panel
    }

    fn run(&mut self, world: &World, program: &Path) {
        let mut command = world.command(program);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        self.0.push(command.spawn().expect("it starts"));
    }
}

impl Drop for Panel {
    fn drop(&mut self) {
        for child in self.0.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// It lies in the folder of the machine's kind.
fn settings_daemon() -> std::path::PathBuf {
    let kinds = std::fs::read_dir("/usr/lib").expect("the libraries");
    let daemon = |kind: std::io::Result<std::fs::DirEntry>| {
        let path = kind.ok()?.path().join("xfce4/xfconf/xfconfd");
        path.exists().then_some(path)
    };
    kinds
        .into_iter()
        .find_map(daemon)
        .expect("xfconfd is installed")
}

fn owned(world: &World, name: &str) -> Option<()> {
    let bus = world.bus.connect();
    let proxy = DBusProxy::new(&bus).expect("the bus");
    let name = name.try_into().expect("a name");
    proxy.name_has_owner(name).expect("an answer").then_some(())
}

#[test]
fn the_panels_mouse_opens_the_window_and_its_menu_answers() {
    let mut world = World::new();
    let screen = Screen::start(&mut world);
    let _panel = Panel::start(&world);
    let _tray = world.tray();
    let mut ask = world.ask(&command("make all"));
    let shown = eventually("the window", || {
        screen.click_at(ICON.0, ICON.1);
        std::thread::sleep(STEP);
        world.shown().into_iter().next()
    });
    assert_eq!(shown, json!({"id": 1, "focus": true}));
    assert!(ask.waits());
    std::thread::sleep(PROTECTED);
    eventually("an answer", || {
        screen.key("Escape");
        screen.menu_at(ICON.0, ICON.1);
        // The request, its options, the first of them.
        for key in ["Down", "Right", "Return"] {
            std::thread::sleep(STEP);
            screen.key(key);
        }
        std::thread::sleep(STEP);
        (!ask.waits()).then_some(())
    });
    ask.chose("once ");
}
